const withheld = ['authorization', 'cookie', 'proxy-authorization'];

/** The headers that a workflow sees: without credentials, and without the verifier's own. */
export const passedOn = (headers: Readonly<Record<string, unknown>>, own: readonly string[]): object =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !withheld.includes(name) && !own.includes(name)));

/** Text that is JSON becomes what it says, whatever its content type; other text stays. */
export function eventDataOf(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}
