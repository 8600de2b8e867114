import type { SealedColumn } from '#src/infra/vault/rotation.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedSecret = defineAudited({ type: 'secret', actions: ['create', 'update', 'delete'] });

export const sealedSecret: SealedColumn = {
  purpose: 'secrets',
  table: 'tenant_secrets',
  column: 'value',
  versionColumn: 'key_version',
  row: 't.key',
};
