import type { SealedColumn } from '#src/infra/vault/rotation.ts';

export const sealedDestination: SealedColumn = {
  purpose: 'secrets',
  table: 'webhook_destinations',
  column: 'sealed',
  versionColumn: 'key_version',
  row: 't.id::text',
};
