import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameOperations, safeKey, type NamedBy } from '#src/automation/connectors/descriptions/names.ts';

const name = (id: string, method = 'GET', path = '/'): string => nameOperations([{ id, method, path }])[0] ?? '';

test.each([
  ['getOrderByID', 'get-order-by-id'],
  ['CloudStorageApi_GetList', 'cloud-storage-api-get-list'],
  ['GET::api-v3-salesorders', 'get-api-v3-salesorders'],
  ['Bestellung ändern (groß)', 'bestellung-andern-gross'],
  ['XMLHttpRequest', 'xml-http-request'],
  ['2faEnable', 'get-2fa-enable'],
  ['1. List orders', 'get-1-list-orders'],
])('the id %s becomes %s', (id, expected) => {
  expect(name(id)).toBe(expected);
});

test.each([
  ['GET', '/orders/{id}', 'get-orders-by-id'],
  ['DELETE', '/salesOrder/id/{id}', 'delete-sales-order-id-by-id'],
  ['GET', '/companies({company_id})/customers', 'get-companies-by-company-id-customers'],
  ['POST', '/', expect.stringMatching(/^post-[\da-f]{6}$/)],
])('without an id, %s %s becomes %s', (method, path, expected) => {
  expect(name('', method, path)).toEqual(expected);
});

test('operations that would share a name each get a hash, so that no name depends on the order', () => {
  const names = nameOperations([
    { id: 'getOrder', method: 'GET', path: '/a' },
    { id: 'get-order', method: 'GET', path: '/b' },
    { id: '', method: 'GET', path: '/orders/{id}' },
    { id: '', method: 'GET', path: '/orders/by-id' },
  ]);
  expect(new Set(names).size).toBe(4);
  expect(names[0]).toMatch(/^get-order-[\da-f]{6}$/);
  expect(names[3]).toMatch(/^get-orders-by-id-[\da-f]{6}$/);
});

const word = fc.constantFrom(
  'order',
  'Order',
  'getOrder',
  'get-order',
  '订单',
  '{id}',
  'by-id',
  '',
  '<b>',
  '__proto__',
  'x'.repeat(150),
);
const operations = fc.uniqueArray(
  fc.record<NamedBy>({
    id: word,
    method: fc.constantFrom('GET', 'POST'),
    path: fc.array(word).map((words) => `/${words.join('/')}`),
  }),
  { maxLength: 30, selector: ({ method, path, id }) => JSON.stringify([method, path, id]) },
);

test('names are unique, short and plain, and do not depend on the order of the operations', () => {
  fc.assert(
    fc.property(operations, (list) => {
      const names = nameOperations(list);
      expect(new Set(names).size).toBe(names.length);
      for (const one of names) expect(one).toMatch(/^(?=.{1,64}$)[a-z\d]+(?:-[a-z\d]+)*$/);
      expect(nameOperations(list.toReversed()).toReversed()).toEqual(names);
    }),
  );
});

test('adding an operation renames only operations that would share its name', () => {
  fc.assert(
    fc.property(operations, fc.nat(), (list, seed) => {
      const added = list[seed % Math.max(list.length, 1)];
      if (added === undefined) return;
      const rest = list.filter((operation) => operation !== added);
      const [before, after] = [nameOperations(rest), nameOperations(list)];
      const own = nameOperations([added])[0];
      for (const [index, operation] of rest.entries()) {
        if (nameOperations([operation])[0] !== own) expect(after[list.indexOf(operation)]).toBe(before[index]);
      }
    }),
  );
});

test.each(['Order', 'Order.v2_Item', 'a-b'])('%s is a safe key as it is', (key) => {
  expect(safeKey(key)).toBe(key);
});

test('every other name becomes a safe key, and different names become different keys', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(fc.string({ maxLength: 120 }), word), { maxLength: 20 }), (names) => {
      const keys = names.map(safeKey);
      expect(new Set(keys).size).toBe(keys.length);
      for (const key of keys) {
        expect(key).toMatch(/^[A-Za-z\d][\w.-]{0,63}$/);
        expect(key in {}).toBe(false);
      }
    }),
  );
});
