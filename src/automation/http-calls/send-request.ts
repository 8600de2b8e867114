import type { HttpPort, OpenCredential } from '#src/automation/node-api/ports.ts';
import { sendRenewing } from '#src/automation/node-api/send-renewing.ts';
import { toNodeError } from './failures.ts';
import type { Answer } from './read-answer.ts';

type Request = Parameters<HttpPort['request']>[0];

const defaultRedirects = 5;

/** By default only GET and HEAD follow redirects: only the author knows which other requests may be repeated. */
export const defaultMaxRedirects = (method: string): number =>
  method === 'GET' || method === 'HEAD' ? defaultRedirects : 0;

/**
 * Sends a request, and after a 401 sends it once more with a new access token. Refuses to send a credential over plain http. Returns the
 * answer whatever its status is; rejects with a NodeError if there is none.
 */
export async function sendRequest(
  http: HttpPort,
  request: Omit<Request, 'secure'>,
  { credential, isRepeatable = true }: { credential: OpenCredential | undefined; isRepeatable?: boolean },
): Promise<Answer> {
  const { origin } = new URL(request.url);
  return sendRenewing(
    credential,
    request.headers,
    (headers) =>
      http.request({ ...request, headers, secure: credential !== undefined }).catch((error: unknown) => {
        throw toNodeError(error, isRepeatable);
      }),
    // The host at the end of a redirect did not receive the token, so its 401 does not mean that the token is invalid.
    ({ url }) => new URL(url).origin === origin,
  );
}
