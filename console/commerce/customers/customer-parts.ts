import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column, member } from '#console/ui/screens/columns.ts';
import { type Column, nestedList, type RowOf } from '#console/ui/screens/screen.ts';
import { ContactsOfCustomer, CostCentresOfCustomer, type CustomerPage } from './customers.documents.ts';

export type Customer = NonNullable<ResultOf<typeof CustomerPage>['organization']>;

export const addressColumns: Column<Customer['addresses'][number]>[] = [
  member('type', format.text),
  member('name', format.text),
  member('street', format.text),
  member('postalCode', format.text),
  member('city', format.text),
  member('country', format.text),
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
  member('firstName', format.text),
  member('lastName', format.text),
  member('role', format.text),
  member('approvalLimit', format.number),
];

export const contactsOfCustomer = nestedList(ContactsOfCustomer, (data) => data.organization?.contacts, {
  columns: contactColumns,
  open: null,
  empty: w.contactsEmpty,
});

type WithCostCentres = NonNullable<ResultOf<typeof CostCentresOfCustomer>['organization']>;
const costCentreColumns: Column<RowOf<WithCostCentres, 'costCentres'>>[] = [
  member('code', format.text),
  member('name', format.text),
  member('budget', format.number),
];

export const costCentresOfCustomer = nestedList(CostCentresOfCustomer, (data) => data.organization?.costCentres, {
  columns: costCentreColumns,
  open: null,
  empty: w.costCentresEmpty,
});
