import { type ExportTarget, exported } from '#src/imports/targets/export-target.ts';
import { organizationImportTarget } from './organizations.import-target.ts';

const columns = exported(organizationImportTarget.columns({ mode: 'full' }), {
  customer_number: 'o.customer_number',
  name: 'o.name',
  payment_terms: 'o.payment_terms',
});

/** Organizations, by customer number. */
export const organizationExportTarget: ExportTarget = {
  name: 'organizations',
  columns: () => columns,
  from: 'organizations o',
  orderBy: 'o.customer_number',
  updatedAt: 'o.updated_at',
};
