import { lacksAttribute, requiredAttributes } from '#src/commerce/attributes/attributes.service.ts';
import { textCell } from '#src/imports/targets/cells.ts';
import { type ExportTarget, exported } from '#src/imports/targets/export-target.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { findIncompleteOrganizations, writeOrganizations } from './organization-imports.store.ts';

/** Imports organizations by customer number. An empty cell leaves its value unchanged. */
export const organizationImportTarget: ImportTarget = {
  name: 'organizations',
  columns: () => [
    { name: 'customer_number', cell: textCell({ max: 191 }), required: true },
    { name: 'name', cell: textCell({ max: 191 }), required: true },
    { name: 'payment_terms', cell: textCell({ max: 191 }) },
  ],
  key: ['customer_number'],
  async merge(tx, chunk) {
    const required = await requiredAttributes(tx, chunk.tenantId, 'organization');
    const incomplete = required.length > 0 ? await findIncompleteOrganizations(tx, chunk, required) : [];
    const written = await writeOrganizations(tx, chunk, required);
    if (written > 0) wakeRelay(tx);
    return { written, refused: incomplete.map((n) => ({ n, field: null, reason: lacksAttribute(required) })) };
  },
};

const columns = exported(organizationImportTarget.columns({ mode: 'full' }), {
  customer_number: 'o.customer_number',
  name: 'o.name',
  payment_terms: 'o.payment_terms',
});

/** Exports organizations. */
export const organizationExportTarget: ExportTarget = {
  name: 'organizations',
  columns: () => columns,
  from: 'organizations o',
  orderBy: 'o.customer_number',
  updatedAt: 'o.updated_at',
};
