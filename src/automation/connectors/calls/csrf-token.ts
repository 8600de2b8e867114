import type { Answer } from '#src/automation/http-calls/read-answer.ts';
import type { Pair } from './styles.ts';

const headerName = 'x-csrf-token';

/** The request headers that ask a service for a token of a new session. */
export const tokenRequest = { [headerName]: 'Fetch', accept: '*/*' };

const firstValue = (value: string | string[] | undefined): string => [value].flat()[0] ?? '';

/** True if SAP Gateway refused a request because it has no session token. The Gateway has not acted on such a request. */
export const isTokenRequired = ({ status, headers }: Answer): boolean =>
  status === 403 && firstValue(headers[headerName]).toLowerCase() === 'required';

/** Reads the token from an answer of any status, with the cookies of its session: the token is valid only in that session. */
export function readToken({ headers }: Answer): { headers: Record<string, string>; cookies: Pair[] } | undefined {
  const token = firstValue(headers[headerName]);
  if (token === '' || token.toLowerCase() === 'required') return undefined;
  const cookies = [headers['set-cookie'] ?? []].flat().flatMap((cookie): Pair[] => {
    const [, name, value] = /^\s*([^\s=;]+)=([^;]*)/.exec(cookie) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.trim()]];
  });
  return { headers: { [headerName]: token }, cookies };
}
