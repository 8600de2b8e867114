import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedCostCentre = defineAudited({
  type: 'cost_centre',
  node: 'CostCentre',
  actions: ['create', 'update'],
});
