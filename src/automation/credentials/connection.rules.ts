import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { CredentialStatus, StoredCredential } from './credentials.store.ts';

/** A status in which the credential must be connected before it works. */
export type DisconnectedStatus = Exclude<CredentialStatus, 'active'>;

const faults = {
  pending: ['CREDENTIAL_PENDING', 'is not connected yet. Authorise it, then try again.'],
  expired: ['CREDENTIAL_EXPIRED', 'has expired. Reconnect it, then try again.'],
  revoked: ['CREDENTIAL_REVOKED', 'was revoked by its provider. Reconnect it, then try again.'],
} as const satisfies Record<DisconnectedStatus, readonly [code: string, what: string]>;

/** Why a credential cannot be used now, and what to do; undefined when it can. */
export function connectionFault({ name, status }: Pick<StoredCredential, 'name' | 'status'>): NodeError | undefined {
  if (status === 'active') return undefined;
  return new NodeError(faults[status][0], disconnectedMessage(`The credential "${name}"`, status));
}

/** `credential` is the name that begins the sentence. */
export const disconnectedMessage = (credential: string, status: DisconnectedStatus): string =>
  `${credential} ${faults[status][1]}`;
