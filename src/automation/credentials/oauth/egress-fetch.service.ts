import type { CustomFetch } from 'openid-client';
import { tokenRequestMs } from '#src/automation/credentials/token-outcome.rules.ts';
import type { Egress } from '#src/infra/egress/egress.ts';
import type { EgressResponse } from '#src/infra/egress/request.ts';
import { conformAnswer, type TokenAnswer } from './token-answer.rules.ts';

const maxBytes = 256 * 1024;

/**
 * How openid-client reaches a token endpoint: through egress, over TLS, without redirects, within `tokenRequestMs`. A sent
 * request is never cancelled from outside, because its response may hold the only copy of a rotated refresh token. `read` may
 * transform the response.
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
      conformAnswer({
        status: response.status,
        contentType: readContentType(response),
        text: response.body.toString('utf8'),
      }),
    );
    // The error's `WWW-Authenticate` challenge is left out, because it would hide the error's code.
    return json === undefined
      ? new Response(null, { status: status >= 200 && status <= 599 ? status : 502 })
      : new Response(JSON.stringify(json), { status, headers: { 'content-type': 'application/json' } });
  };

function readContentType({ headers }: EgressResponse): string {
  const type = headers['content-type'];
  return (Array.isArray(type) ? type[0] : type) ?? '';
}
