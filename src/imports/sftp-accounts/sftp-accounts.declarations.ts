import type { SealedColumn } from '#src/infra/vault/rotation.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedSftpAccount = defineAudited({
  type: 'sftp_account',
  node: 'SftpAccount',
  actions: ['create', 'update', 'delete', 'accept_host_key'],
});

export const sealedSftpAccount: SealedColumn = {
  purpose: 'secrets',
  table: 'sftp_accounts',
  column: 'sealed',
  versionColumn: 'key_version',
  row: 't.id::text',
};
