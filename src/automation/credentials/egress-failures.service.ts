import { type EgressError, refusedCalls } from '#src/infra/egress/errors.ts';
import type { TokenOutcome } from './token-outcome.rules.ts';

/** The outcome of a request for tokens that egress refused, or that got no answer. */
export const describeEgressError = ({
  code,
  message,
}: EgressError): Extract<TokenOutcome, { kind: 'misconfigured' | 'unavailable' }> => ({
  kind: refusedCalls.has(code) ? 'misconfigured' : 'unavailable',
  reason: message.replace(/\.$/, ''),
});
