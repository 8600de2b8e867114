import { NodeError } from '#src/automation/node-api/node-error.ts';

/** Statuses that another attempt may change. */
export const isRetryableStatus = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500;

/** Failures before the request was sent. */
const unsentCodes = new Set(['dns', 'connect', 'closed']);
/** Failures of the network; a retry of the others would fail again. */
const retryableCodes = new Set([...unsentCodes, 'disconnected', 'protocol', 'timeout']);

/**
 * The failure of a request as a node reports it; any other error stays as it is. A request that is not `isRepeatable` may have acted, so it
 * is retried only if it was never sent.
 */
export function toNodeError(error: unknown, isRepeatable = true): unknown {
  if (!(error instanceof Error) || error.name !== 'EgressError' || !('code' in error)) return error;
  const code = String(error.code);
  return new NodeError(`HTTP_${code.toUpperCase()}`, error.message, {
    retryable: (isRepeatable ? retryableCodes : unsentCodes).has(code),
    cause: error,
  });
}
