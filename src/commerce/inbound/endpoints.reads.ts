import type { Deps } from '#src/infra/deps.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { joinDataKey, type Place, sealedColumns, type SealedRow } from '#src/infra/vault/vault.ts';

/** The secrets that a sender may sign with: the current one, and the former one while both are valid. */
export interface EndpointSecrets {
  current: string;
  previous: string | null;
}

/** Names an endpoint within its tenant. */
export interface EndpointKey {
  tenantId: string;
  endpointId: string;
}

export const secretsPlace = ({ tenantId, endpointId }: EndpointKey): Place => ({
  tenantId,
  table: 'inbound_endpoints',
  row: endpointId,
  column: 'secrets',
});

export type SealedSecretsRow = SealedRow & Record<string, unknown>;

/** The statement that reads the row for `openSecrets`. */
export const sealedSecretsQuery = ({ tenantId, endpointId }: EndpointKey) => ({
  name: 'read-endpoint-secrets',
  text: `SELECT ${sealedColumns('e', 'secrets')} FROM inbound_endpoints e ${joinDataKey('secrets', 'e')}
    WHERE e.tenant_id = $1 AND e.endpoint_id = $2`,
  values: [tenantId, endpointId],
});

/** Throws UnreadableError. */
export function openSecrets(
  { vault, redactor }: Pick<Deps, 'vault' | 'redactor'>,
  key: EndpointKey,
  row: SealedSecretsRow,
): EndpointSecrets {
  const secrets = JSON.parse(vault.open('secrets', secretsPlace(key), row)) as EndpointSecrets;
  for (const secret of [secrets.current, secrets.previous]) if (secret !== null) redactor.add(secret);
  return secrets;
}

export const endpointList: OrderedList<'CREATED_AT' | 'UPDATED_AT' | 'NAME', { tenantId: string }> = {
  from: 'inbound_endpoints',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    UPDATED_AT: [{ sql: 'updated_at', type: 'timestamptz' }],
    NAME: [{ sql: 'name', type: 'text' }],
  },
  where: ({ tenantId }, parameters) => [`tenant_id = ${parameters.add(tenantId)}`],
};
