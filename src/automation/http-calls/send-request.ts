import type { HttpPort, OpenCredential } from '#src/automation/node-api/ports.ts';
import { sendRenewing } from '#src/automation/node-api/send-renewing.ts';
import { toNodeError } from './failures.ts';
import type { Answer } from './read-answer.ts';

type Request = Parameters<HttpPort['request']>[0];

const defaultRedirects = 5;

/** By default only GET and HEAD follow redirects: only the author knows which other requests may be repeated. */
export const defaultMaxRedirects = (method: string): number =>
  method === 'GET' || method === 'HEAD' ? defaultRedirects : 0;

/** How often one attempt at a step sends a request again that the API refused because of its rate limit. */
const maxRefusals = 5;

/**
 * Sends a request when the rate limit of its credential allows it. After a 401, sends it once more with a new access token. After a refusal
 * because of the rate limit, sends it again in its turn, unless `repeatsRefused` is false. Refuses to send a credential over plain http.
 * Returns the answer whatever its status is; rejects with a NodeError if there is no answer.
 */
export async function sendRequest(
  http: HttpPort,
  request: Omit<Request, 'secure'>,
  {
    credential,
    isRepeatable = true,
    repeatsRefused = true,
  }: { credential: OpenCredential | undefined; isRepeatable?: boolean; repeatsRefused?: boolean },
): Promise<Answer> {
  const { origin } = new URL(request.url);
  // The host at the end of a redirect did not receive the credential, so its answers say nothing about it.
  const isFromApi = ({ url }: Answer): boolean => new URL(url).origin === origin;
  const send = async (headers: Record<string, string>): Promise<Answer> => {
    await credential?.takeTurn?.(request.signal);
    return http.request({ ...request, headers, secure: credential !== undefined }).catch((error: unknown) => {
      throw toNodeError(error, isRepeatable);
    });
  };
  for (let refusals = 0; ; refusals += 1) {
    const answer = await sendRenewing(credential, request.headers, send, isFromApi);
    const isRefused = isFromApi(answer) && (await credential?.noteAnswer?.(answer)) === true;
    if (!isRefused || !repeatsRefused || refusals === maxRefusals) return answer;
  }
}
