import type { SealedColumn } from '#src/infra/vault/rotation.ts';

export const sealedSftpAccount: SealedColumn = {
  purpose: 'secrets',
  table: 'sftp_accounts',
  column: 'sealed',
  versionColumn: 'key_version',
  row: 't.id::text',
};
