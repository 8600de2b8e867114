import type { Answer } from '#src/automation/http-calls/read-answer.ts';
import type { Pair } from './styles.ts';

const headerName = 'x-csrf-token';

/** The request headers that ask a service for a token of a new session. */
export const tokenRequest = { [headerName]: 'Fetch', accept: '*/*' };

const firstValue = (value: string | string[] | undefined): string => [value].flat()[0] ?? '';

/** Whether SAP Gateway refused a request, before it acted on it, because that has no token of a session. */
export const isTokenRequired = ({ status, headers }: Answer): boolean =>
  status === 403 && firstValue(headers[headerName]).toLowerCase() === 'required';

/** The token in an answer of any status, and the cookies of the session for which alone it is good. */
export function readToken({ headers }: Answer): { headers: Record<string, string>; cookies: Pair[] } | undefined {
  const token = firstValue(headers[headerName]);
  if (token === '' || token.toLowerCase() === 'required') return undefined;
  const cookies = [headers['set-cookie'] ?? []].flat().flatMap((cookie): Pair[] => {
    const [, name, value] = /^\s*([^\s=;]+)=([^;]*)/.exec(cookie) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.trim()]];
  });
  return { headers: { [headerName]: token }, cookies };
}
