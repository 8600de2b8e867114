import { expect, test } from 'vitest';
import { chooseOperations } from '#src/automation/connectors/packages/choose-operations.rules.ts';

const operations = [
  { name: 'create-sales-order', title: 'Create SalesOrder', path: '/SalesOrder', tags: ['SalesOrder'] },
  { name: 'list-stock', title: 'List Stock', path: '/Stock', tags: ['Stock'] },
];

test.each([
  ['sales order', ['create-sales-order']],
  ['order CREATE', ['create-sales-order']],
  ['/stock', ['list-stock']],
  ['stock order', []],
  ['', ['create-sales-order', 'list-stock']],
])('a search for "%s" chooses what has all of its words', (search, names) => {
  expect(chooseOperations(operations, { search }).map(({ name }) => name)).toEqual(names);
});
