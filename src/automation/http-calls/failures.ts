import { NodeError } from '#src/automation/node-api/node-error.ts';

/** True for statuses that another attempt may change. */
export const isRetryableStatus = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500;

/** Failures before the request was sent. */
const unsentCodes = new Set(['dns', 'connect', 'closed']);
/** Failures of the network; a retry of the others would fail again. */
const retryableCodes = new Set([...unsentCodes, 'disconnected', 'protocol', 'timeout']);

/**
 * Turns the failure of a request into the error that a node reports. Any other error is returned unchanged. A request that is not
 * `isRepeatable` may have had its effect, so it is retried only if it was never sent.
 */
export function toNodeError(error: unknown, isRepeatable = true): unknown {
  if (!(error instanceof Error) || error.name !== 'EgressError' || !('code' in error)) return error;
  const code = String(error.code);
  return new NodeError(`HTTP_${code.toUpperCase()}`, error.message, {
    retryable: (isRepeatable ? retryableCodes : unsentCodes).has(code),
    cause: error,
  });
}
