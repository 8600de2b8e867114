import type { CustomFetch } from 'openid-client';
import type { Egress } from '#src/infra/egress/egress.ts';
import type { EgressResponse } from '#src/infra/egress/request.ts';
import { conformAnswer, type TokenAnswer } from './token-answer.rules.ts';

/** A request to a token endpoint takes no longer; a lease on a refresh outlives it. */
export const tokenRequestMs = 10_000;
const maxBytes = 256 * 1024;

/**
 * The way openid-client reaches a token endpoint: through egress, over TLS, without redirects, within `tokenRequestMs`. What is
 * sent is never cancelled from outside: the answer may hold the only copy of a rotated refresh token. `read` may change the
 * answer further.
 */
export const egressFetch =
  (egress: Egress, read: (answer: TokenAnswer) => TokenAnswer = (answer) => answer): CustomFetch =>
  async (url, { method, headers, body }) => {
    const response = await egress.request({
      method,
      url,
      headers,
      body: body instanceof URLSearchParams ? body.toString() : null,
      timeoutMs: tokenRequestMs,
      maxBytes,
      secure: true,
    });
    const { status, json } = read(
      conformAnswer({ status: response.status, contentType: typeOf(response), text: response.body.toString('utf8') }),
    );
    // The challenge beside an error (`WWW-Authenticate`) is left out: it would hide the error's code.
    return json === undefined
      ? new Response(null, { status: status >= 200 && status <= 599 ? status : 502 })
      : new Response(JSON.stringify(json), { status, headers: { 'content-type': 'application/json' } });
  };

function typeOf({ headers }: EgressResponse): string {
  const type = headers['content-type'];
  return (Array.isArray(type) ? type[0] : type) ?? '';
}
