import { CreateContact, UpsertCostCentre } from '#console/commerce/buyers.documents.ts';
import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import { figuresOfCustomer } from '#console/commerce/figures.ts';
import { attributesSection } from '#console/commerce/own-attributes.tsx';
import * as format from '#console/ui/formats.tsx';
import { column, member } from '#console/ui/screens/columns.ts';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { fieldWord } from '#console/words/fields.ts';
import { addressColumns, contactsOfCustomer, costCentresOfCustomer } from './customer-parts.ts';
import { CustomerPage, Customers } from './customers.documents.ts';

const customerList = list('organizations', Customers, {
  columns: [
    column(
      'name',
      format.text((customer) => customer.name),
      'minmax(160px, 3fr)',
    ),
    column(
      'customerNumber',
      format.text((customer) => customer.customerNumber),
      'minmax(112px, 1fr)',
    ),
    column(
      'paymentTerms',
      format.text((customer) => customer.paymentTerms),
      'minmax(112px, 2fr)',
    ),
    member('updatedAt', format.time),
  ],
  orders: { customerNumber: 'CUSTOMER_NUMBER', updatedAt: 'UPDATED_AT' },
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: `${fieldWord('name')}, ${fieldWord('customerNumber')}` },
  ],
  empty: w.customersEmpty,
});

const customerPage = detail('organization', CustomerPage, {
  title: (customer) => customer.name,
  facts: [
    member('customerNumber', format.handle),
    member('paymentTerms', format.text),
    member('createdAt', format.exactTime),
    member('updatedAt', format.exactTime),
    { key: 'owner', label: w.owner, show: format.text(() => w.erpOwns) },
  ],
  lists: [{ noun: 'orders', label: w.ordersOf, search: ({ id }) => ({ customer: id }) }],
  sections: [
    {
      key: 'figures',
      title: w.figures,
      draw: ({ id }) => (
        <NestedList screen={figuresOfCustomer} variables={{ filter: { organizationId: id } }} label={w.figures} />
      ),
    },
    {
      key: 'contacts',
      title: w.contacts,
      draw: ({ id }) => <NestedList screen={contactsOfCustomer} variables={{ id }} label={w.contacts} />,
    },
    {
      key: 'costCentres',
      title: w.costCentres,
      draw: ({ id }) => <NestedList screen={costCentresOfCustomer} variables={{ id }} label={w.costCentres} />,
    },
    {
      key: 'addresses',
      title: w.addresses,
      draw: ({ addresses }) => <Table rows={addresses} columns={addressColumns} label={w.addresses} />,
    },
    attributesSection,
  ],
  actions: [
    {
      key: 'contact',
      label: w.newContact,
      creates: true,
      document: CreateContact,
      input: ({ id }) => ({ organizationId: id }),
      form: { fields: ['email', 'firstName', 'lastName', 'role', 'approvalLimit'] },
      done: w.contactCreated,
    },
    {
      key: 'costCentre',
      label: w.setCostCentre,
      document: UpsertCostCentre,
      input: ({ id }) => ({ organizationId: id }),
      form: { fields: ['code', 'name', 'budget'] },
      done: w.saved,
    },
  ],
});

export const customers: Screens = { list: customerList, detail: customerPage };
