/** Characters that a file name may have. */
export const nameParts = ['{date}', '{time}', '{job}'] as const;

/** Why a file cannot have this name; undefined where it can. */
export function fileNameFault(template: string): string | undefined {
  const plain = template.replace(/\{(date|time|job)\}/g, '0');
  if (/[{}]/.test(plain)) return `Use ${nameParts.join(', ')} and no other braces.`;
  if (/[/\\\p{Cc}]/u.test(plain) || plain.startsWith('.'))
    return 'Write a name without a path, which begins with no point.';
  return undefined;
}

/** The name of an export's file: `{date}` is 2026-01-31 and `{time}` 235959 in the zone, `{job}` the id of the bulk job. */
export function exportFileName(
  template: string,
  { at, timezone, job }: { at: Date; timezone: string; job: number },
): string {
  // Sweden writes dates as ISO 8601 does.
  const [date = '', time = ''] = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
    .format(at)
    .split(' ');
  return template
    .replaceAll('{date}', date)
    .replaceAll('{time}', time.replaceAll(':', ''))
    .replaceAll('{job}', String(job));
}
