import { type ExportTarget, exported } from '#src/imports/targets/export-target.ts';
import { contactImportTarget } from './contacts.import-target.ts';

const columns = exported(contactImportTarget.columns({ mode: 'full' }), {
  customer_number: 'o.customer_number',
  email: 'c.email',
  first_name: 'c.first_name',
  last_name: 'c.last_name',
  role: 'c.role',
});

/** Contacts, by the customer number of their organization and their e-mail address. */
export const contactExportTarget: ExportTarget = {
  name: 'contacts',
  columns: () => columns,
  from: 'contacts c JOIN organizations o ON o.tenant_id = c.tenant_id AND o.id = c.organization_id',
  orderBy: 'o.customer_number, c.email',
  updatedAt: 'c.updated_at',
};
