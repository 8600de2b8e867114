import { CreateContact } from '#console/commerce/buyers.documents.ts';
import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { type Column, detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import { fieldWord } from '#console/words/fields.ts';
import { ContactPage, Contacts, UpdateContact } from './contacts.documents.ts';

type Row = RowOf<ResultOf<typeof Contacts>, 'contacts'>;

const fields = ['email', 'firstName', 'lastName', 'role', 'approvalLimit'] as const;

const fullName = ({ firstName, lastName }: Pick<Row, 'firstName' | 'lastName'>) =>
  [firstName, lastName].filter(Boolean).join(' ');

const shared: Column<Row>[] = [
  {
    key: 'customer',
    label: w.customer,
    show: format.link(
      'customers',
      (contact) => contact.organization,
      (contact) => contact.organization.name,
    ),
    width: 'minmax(128px, 2fr)',
  },
  column(
    'role',
    format.text((contact) => contact.role),
    'minmax(80px, 1fr)',
  ),
  member('approvalLimit', format.number, '128px'),
];

const contactList = list('contacts', Contacts, {
  columns: [
    column(
      'email',
      format.text((contact) => contact.email),
      'minmax(160px, 2fr)',
    ),
    { key: 'fullName', label: w.fullName, show: format.text(fullName), width: 'minmax(112px, 2fr)' },
    ...shared,
    member('updatedAt', format.time),
  ],
  orders: { email: 'EMAIL', updatedAt: 'UPDATED_AT' },
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: `${fieldWord('email')}, ${w.fullName}` },
    { kind: 'lookup', key: 'customer', member: 'organizationId', noun: 'customers', label: w.customer },
  ],
  actions: [
    {
      key: 'create',
      label: w.newContact,
      creates: true,
      document: CreateContact,
      form: { fields: ['organizationId', ...fields], lookups: { organizationId: 'customers' } },
      done: w.contactCreated,
      opens: (payload) => ({ noun: 'contacts', id: (payload['contact'] as { id: string }).id }),
    },
  ],
  empty: w.contactsEmpty,
});

const contactPage = detail('contact', ContactPage, {
  title: (contact) => fullName(contact) || contact.email,
  facts: [
    member('email', format.handle),
    ...shared,
    member('createdAt', format.exactTime),
    member('updatedAt', format.exactTime),
  ],
  actions: [
    {
      key: 'edit',
      saves: true,
      label: w.edit,
      document: UpdateContact,
      allowed: (contact) => contact.viewerCan.update,
      form: { fields, initial: valuesOf(...fields) },
      done: w.saved,
    },
  ],
});

export const contacts: Screens = { list: contactList, detail: contactPage };
