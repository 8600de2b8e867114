import type { Answer } from '#src/automation/http-calls/read-answer.ts';
import { readCookies } from '#src/automation/http-calls/set-cookies.ts';
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
  return { headers: { [headerName]: token }, cookies: readCookies(headers) };
}
