import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedAttribute = defineAudited({
  type: 'attribute',
  node: 'Attribute',
  actions: ['create', 'update', 'delete'],
});
