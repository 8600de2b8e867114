import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedCostCentre = defineAudited({ type: 'cost_centre', actions: ['create', 'update'] });
