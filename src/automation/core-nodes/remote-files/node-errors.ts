import { NodeError } from '#src/automation/node-api/node-error.ts';
import { EgressError, type EgressErrorCode } from '#src/infra/egress/errors.ts';

/** Failures of the network that another attempt may not have. */
const retryable: ReadonlySet<EgressErrorCode> = new Set(['dns', 'connect', 'closed', 'disconnected', 'timeout']);

/** The failure of a connection as the error of a step, whose code begins with the protocol. Any other error is returned unchanged. */
export function toConnectionError(protocol: string, error: unknown): unknown {
  if (!(error instanceof EgressError)) return error;
  return new NodeError(`${protocol}_${error.code.toUpperCase()}`, error.message, {
    retryable: retryable.has(error.code),
    cause: error,
  });
}
