import type { SealedColumn } from '#src/infra/vault/rotation.ts';

export const sealedHttpSource: SealedColumn = {
  purpose: 'secrets',
  table: 'http_sources',
  column: 'sealed',
  versionColumn: 'key_version',
  row: 't.id::text',
};
