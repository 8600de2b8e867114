import type { SealedColumn } from '#src/infra/vault/rotation.ts';

export const sealedSecret: SealedColumn = {
  purpose: 'secrets',
  table: 'tenant_secrets',
  column: 'value',
  versionColumn: 'key_version',
  row: 't.key',
};
