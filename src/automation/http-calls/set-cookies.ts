/** The names and values of the cookies that an answer sets, as the server wrote them. */
export const readCookies = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): (readonly [name: string, value: string])[] =>
  [headers['set-cookie'] ?? []].flat().flatMap((cookie) => {
    const [, name, value] = /^\s*([^\s=;]+)=([^;]*)/.exec(cookie) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.trim()] as const];
  });
