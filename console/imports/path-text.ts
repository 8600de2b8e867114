/** Where a file is on a server: `ERP: /out/stock-*.csv`. A folder of `.` is the one in which the login begins. */
export function pathText(server: string | undefined, folder: string | null, file: string | null): string {
  const parts = [folder === '.' ? '' : (folder ?? '').replace(/\/+$/, ''), file ?? ''];
  return [server, parts.filter((part, at) => part !== '' || (at === 0 && folder === '/')).join('/')]
    .filter(Boolean)
    .join(': ');
}
