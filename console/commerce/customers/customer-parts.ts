import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column } from '#console/ui/screens/columns.ts';
import { type Column, nestedList, type RowOf } from '#console/ui/screens/screen.ts';
import { ContactsOfCustomer, CostCentresOfCustomer, type CustomerPage } from './customers.documents.ts';

export type Customer = NonNullable<ResultOf<typeof CustomerPage>['organization']>;

export const addressColumns: Column<Customer['addresses'][number]>[] = [
  column(
    'type',
    format.text((address) => address.type),
  ),
  column(
    'name',
    format.text((address) => address.name),
  ),
  column(
    'street',
    format.text((address) => address.street),
  ),
  column(
    'postalCode',
    format.text((address) => address.postalCode),
  ),
  column(
    'city',
    format.text((address) => address.city),
  ),
  column(
    'country',
    format.text((address) => address.country),
  ),
];

type WithContacts = NonNullable<ResultOf<typeof ContactsOfCustomer>['organization']>;
const contactColumns: Column<RowOf<WithContacts, 'contacts'>>[] = [
  column(
    'email',
    format.link(
      'contacts',
      (contact) => contact,
      (contact) => contact.email,
    ),
  ),
  column(
    'firstName',
    format.text((contact) => contact.firstName),
  ),
  column(
    'lastName',
    format.text((contact) => contact.lastName),
  ),
  column(
    'role',
    format.text((contact) => contact.role),
  ),
  column(
    'approvalLimit',
    format.number((contact) => contact.approvalLimit),
  ),
];

export const contactsOfCustomer = nestedList(ContactsOfCustomer, (data) => data.organization?.contacts, {
  columns: contactColumns,
  open: null,
  empty: w.contactsEmpty,
});

type WithCostCentres = NonNullable<ResultOf<typeof CostCentresOfCustomer>['organization']>;
const costCentreColumns: Column<RowOf<WithCostCentres, 'costCentres'>>[] = [
  column(
    'code',
    format.text((centre) => centre.code),
  ),
  column(
    'name',
    format.text((centre) => centre.name),
  ),
  column(
    'budget',
    format.number((centre) => centre.budget),
  ),
];

export const costCentresOfCustomer = nestedList(CostCentresOfCustomer, (data) => data.organization?.costCentres, {
  columns: costCentreColumns,
  open: null,
  empty: w.costCentresEmpty,
});
