import { expect, test } from 'vitest';
import { type Filter, filterCount, filterOf } from '#console/ui/screens/filters.ts';
import { nextOrder, orderOf } from '#console/ui/screens/order.ts';

const filters: Filter[] = [
  { kind: 'text', key: 'q', member: 'search', label: 'Search' },
  { kind: 'choice', key: 'status', label: 'Status', options: ['FAILED', 'QUEUED'], many: true },
  { kind: 'choice', key: 'type', label: 'Type', options: ['A', 'B'] },
  { kind: 'flag', key: 'tests', member: 'isTest', label: 'Tests' },
  { kind: 'times', key: 'time', label: 'Time' },
  { kind: 'lookup', key: 'workflow', member: 'workflowId', noun: 'workflows', label: 'Workflow' },
];
const now = Date.parse('2026-11-27T12:00:30Z');

test.each([
  [{}, undefined],
  [{ q: '', status: '' }, undefined],
  [{ q: '%_' }, { search: '%_' }],
  [{ status: 'FAILED,QUEUED' }, { status: ['FAILED', 'QUEUED'] }],
  [{ type: 'A' }, { type: 'A' }],
  [{ tests: 'false' }, { isTest: false }],
  [{ time: '1h' }, { since: '2026-11-27T11:00:00.000Z' }],
  [
    { time: '2026-11-01T00:00:00Z/2026-11-02T00:00:00Z' },
    { since: '2026-11-01T00:00:00Z', until: '2026-11-02T00:00:00Z' },
  ],
  [{ workflow: 'V29yazox' }, { workflowId: 'V29yazox' }],
  [{ other: 'x', do: 'retry' }, undefined],
])('the address %j filters by %j', (address, expected) => {
  expect(filterOf(filters, address, now)).toEqual(expected);
});

test('filters of the address are counted, other values are not', () => {
  expect(filterCount(filters, { q: 'x', status: 'FAILED', do: 'retry', order: 'id' })).toBe(2);
});

test('a press on a head orders ascending, then descending, then as the list does by itself', () => {
  const presses: (string | undefined)[] = [undefined];
  for (let press = 0; press < 3; press += 1) presses.push(nextOrder('created', presses.at(-1)));
  expect(presses).toEqual([undefined, 'created', '-created', undefined]);
});

test('an order of the address that the list does not have is no order', () => {
  const orders = { created: 'CREATED_AT' };
  expect(orderOf(orders, '-created')).toEqual({ field: 'CREATED_AT', direction: 'DESC' });
  expect(orderOf(orders, 'created')).toEqual({ field: 'CREATED_AT', direction: 'ASC' });
  expect(orderOf(orders, 'name')).toBeUndefined();
  expect(orderOf(orders, undefined)).toBeUndefined();
});
