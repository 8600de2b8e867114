import { NodeError } from '#src/automation/node-api/node-error.ts';
import { EgressError, type EgressErrorCode } from '#src/infra/egress/errors.ts';

/** Network failures after which another attempt may succeed. */
const retryable: ReadonlySet<EgressErrorCode> = new Set(['dns', 'connect', 'closed', 'disconnected', 'timeout']);

/** Turns a connection failure into a NodeError whose code begins with the protocol. Any other error is returned unchanged. */
export function toConnectionError(protocol: string, error: unknown): unknown {
  if (!(error instanceof EgressError)) return error;
  return new NodeError(`${protocol}_${error.code.toUpperCase()}`, error.message, {
    retryable: retryable.has(error.code),
    cause: error,
  });
}
