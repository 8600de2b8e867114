import { schemaCell, textCell } from '#src/imports/targets/cells.ts';
import { type ExportTarget, exported } from '#src/imports/targets/export-target.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { findContactsOfNobody, writeContacts } from './contact-imports.store.ts';
import { email } from './contacts.inputs.ts';

/** Imports contacts by e-mail address within their organization. An empty cell leaves its value unchanged. */
export const contactImportTarget: ImportTarget = {
  name: 'contacts',
  columns: () => [
    { name: 'customer_number', cell: textCell({ max: 191 }), required: true },
    { name: 'email', cell: schemaCell(email), required: true },
    { name: 'first_name', cell: textCell({ max: 191 }) },
    { name: 'last_name', cell: textCell({ max: 191 }) },
    { name: 'role', cell: textCell({ max: 191 }) },
  ],
  key: ['customer_number', 'email'],
  async merge(tx, chunk) {
    const refused = (await findContactsOfNobody(tx, chunk)).map((n) => ({
      n,
      field: 'customer_number',
      reason: 'There is no organization of this customer number; import it first.',
    }));
    const written = await writeContacts(tx, chunk);
    if (written > 0) wakeRelay(tx);
    return { written, refused };
  },
};

const columns = exported(contactImportTarget.columns({ mode: 'full' }), {
  customer_number: 'o.customer_number',
  email: 'c.email',
  first_name: 'c.first_name',
  last_name: 'c.last_name',
  role: 'c.role',
});

/** Exports contacts, with the customer number of their organization. */
export const contactExportTarget: ExportTarget = {
  name: 'contacts',
  columns: () => columns,
  from: 'contacts c JOIN organizations o ON o.tenant_id = c.tenant_id AND o.id = c.organization_id',
  orderBy: 'o.customer_number, c.email',
  updatedAt: 'c.updated_at',
};
