import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedSftpAccount = defineAudited({
  type: 'sftp_account',
  actions: ['create', 'update', 'delete', 'accept_host_key'],
});
