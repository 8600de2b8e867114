import { defineAudited } from '#src/journal/audit/audited.ts';

/** Movements that a user books by hand; all others stand in the ledger alone. */
export const auditedStock = defineAudited({ type: 'stock', actions: ['book', 'set_reorder_point'] });
