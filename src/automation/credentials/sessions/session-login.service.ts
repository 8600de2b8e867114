import { describeEgressError } from '#src/automation/credentials/egress-failures.service.ts';
import { type TokenOutcome, tokenRequestMs } from '#src/automation/credentials/token-outcome.rules.ts';
import type { Deps } from '#src/infra/deps.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import { loginRequest, readSessionToken, type SessionLogin } from './session-login.rules.ts';

const maxBytes = 256 * 1024;
/** Client-error statuses that do not mean that the user or the request is wrong. */
const passingStatuses = new Set([408, 425, 429]);

/** Signs in to an API. Sends one request and follows no redirects, because the request contains the password. */
export async function requestSession({ egress }: Pick<Deps, 'egress'>, login: SessionLogin): Promise<TokenOutcome> {
  const { url, token: place, lifetimeS } = login;
  const sent = { method: 'POST', url, ...loginRequest(login), timeoutMs: tokenRequestMs, maxBytes, secure: true };
  try {
    const answer = await egress.request(sent);
    const { status } = answer;
    if (status >= 500 || passingStatuses.has(status))
      return { kind: 'unavailable', reason: `the sign-in answered ${status}` };
    if (status >= 300) return { kind: 'misconfigured', reason: `the sign-in answered ${status}` };
    const token = readSessionToken(login, answer);
    if (token === undefined) {
      return {
        kind: 'misconfigured',
        reason: `the answer to the sign-in, whose status is ${status}, has no ${describePlace(place)}`,
      };
    }
    const tokens = { access_token: token, token_type: 'bearer' as const };
    return { kind: 'granted', tokens: { ...tokens, ...(lifetimeS !== undefined && { expires_in: lifetimeS }) } };
  } catch (error) {
    if (error instanceof EgressError) return describeEgressError(error);
    throw error;
  }
}

function describePlace(place: SessionLogin['token']): string {
  if (place.in !== 'body') return `${place.in} ${place.name}`;
  return place.path === undefined ? 'token as its body' : `member ${String(place.path)}`;
}
