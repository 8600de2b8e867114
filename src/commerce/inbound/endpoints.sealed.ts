import type { SealedColumn } from '#src/infra/vault/rotation.ts';

export const sealedEndpointSecrets: SealedColumn = {
  purpose: 'secrets',
  table: 'inbound_endpoints',
  column: 'secrets',
  versionColumn: 'key_version',
  row: 't.endpoint_id',
};
