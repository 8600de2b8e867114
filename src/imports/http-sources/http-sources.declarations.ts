import type { SealedColumn } from '#src/infra/vault/rotation.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedHttpSource = defineAudited({
  type: 'http_source',
  node: 'HttpSource',
  actions: ['create', 'update', 'delete'],
});

export const sealedHttpSource: SealedColumn = {
  purpose: 'secrets',
  table: 'http_sources',
  column: 'sealed',
  versionColumn: 'key_version',
  row: 't.id::text',
};
