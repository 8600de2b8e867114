import { NodeError } from '#src/automation/core-nodes/node-error.ts';
import type { StoredCredential } from './credential-store.ts';

/** Why a credential cannot be used as it stands, and what to do; undefined when it can. */
export function connectionFault({ name, status }: Pick<StoredCredential, 'name' | 'status'>): NodeError | undefined {
  if (status === 'active') return undefined;
  const [code, what] = faults[status];
  return new NodeError(code, `The credential "${name}" ${what}`);
}

const faults = {
  pending: ['CREDENTIAL_PENDING', 'is not connected yet. Authorise it, then try again.'],
  expired: ['CREDENTIAL_EXPIRED', 'has expired. Reconnect it, then try again.'],
  revoked: ['CREDENTIAL_REVOKED', 'was revoked by its provider. Reconnect it, then try again.'],
} as const;
