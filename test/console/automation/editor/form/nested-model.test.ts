import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Field,
  itemField,
  type ManifestField,
  memberFields,
  type Nested,
  listShapes,
} from '#console/automation/editor/form/nested/field.ts';
import { isFormable } from '#console/automation/editor/form/nested/formable.ts';
import { addItem, itemValue, moveItem, removeItem, withItem } from '#console/automation/editor/form/nested/items.ts';
import {
  findFields,
  readMember,
  otherMembers,
  splitMembers,
  withMember,
  withOtherMembers,
} from '#console/automation/editor/form/nested/members.ts';
import { problemAt } from '#console/automation/editor/form/nested/places.ts';
import { preview } from '#console/automation/editor/form/nested/preview.ts';
import { startValue } from '#console/automation/editor/form/nested/start-value.ts';
import { findShape, inShape } from '#console/automation/editor/form/nested/variants.ts';

/** The field of a list's items, which is the shortest way to turn a manifest into a field. */
const makeField = (given: ManifestField): Field =>
  itemField({ nested: { items: given } as Nested } as Field) ?? expect.fail('No field');

const names = ['sku', 'note', 'kind', 'constructor', 'a.b', 'toString'];
const name = fc.constantFrom(...names);
const leafType = fc.constantFrom('string', 'text', 'number', 'boolean', 'json');

/** Manifests of any shape, three levels deep. */
const { field: anyManifest } = fc.letrec<{ field: ManifestField }>((tie) => {
  const leaf = fc.record({ key: name, type: leafType, required: fc.boolean(), nullable: fc.boolean() });
  const members = fc.uniqueArray(tie('field'), { selector: ({ key }) => key, maxLength: 4 });
  const object = fc.record({ key: name, type: fc.constant('object'), required: fc.boolean(), fields: members });
  const list = fc.record({ key: name, type: fc.constant('list'), items: tie('field') });
  const variant = fc.record(
    {
      key: name,
      type: fc.constant('variant'),
      discriminator: fc.constant('kind'),
      variants: fc.tuple(tie('field'), object).map(([one, other]) => [
        { name: 'one', field: one },
        { name: 'other', field: other },
      ]),
    },
    { requiredKeys: ['key', 'type', 'variants'] },
  );
  return { field: fc.oneof({ depthSize: 'small', maxDepth: 3 }, leaf, object, list, variant) as never };
});

const value = fc.jsonValue({ maxDepth: 4 });
const object = fc.dictionary(fc.oneof(name, fc.string()), value, { noNullPrototype: true });
const objectField = fc
  .uniqueArray(anyManifest, { selector: ({ key }) => key, maxLength: 5 })
  .map((fields) => makeField({ key: 'order', type: 'object', fields }));

/** The value that results if every control of a form writes back what it shows. */
function rewritten(field: Field, given: unknown): unknown {
  if (given === undefined || given === null || !isFormable(field, given)) return given;
  if (field.type === 'LIST') {
    const item = itemField(field) as Field;
    return (given as unknown[]).reduce<readonly unknown[]>(
      (items, each, index) => withItem(items, index, rewritten(item, itemValue(each, item))),
      given as unknown[],
    );
  }
  const shape = field.type === 'VARIANT' ? findShape(field, given) : undefined;
  if (field.type === 'VARIANT' && shape?.field.type !== 'OBJECT') return shape ? rewritten(shape.field, given) : given;
  const members = memberFields(shape?.field ?? field);
  const { shown } = splitMembers(members, given, new Set());
  const known = new Set(members.map(({ key }) => key));
  const written = shown.reduce<unknown>(
    (whole, member) => withMember(whole, member.key, rewritten(member, readMember(whole, member.key))),
    given,
  );
  return withOtherMembers(known, written, otherMembers(known, given) ?? {});
}

describe('the form of a structure', () => {
  test('writes every value as it read it, with its members in their order', () => {
    fc.assert(
      fc.property(anyManifest, value, (manifest, given) => {
        expect(JSON.stringify(rewritten(makeField(manifest), given))).toBe(JSON.stringify(given));
      }),
    );
  });

  test('shows or offers each described member once, and lists the rest as other members', () => {
    fc.assert(
      fc.property(objectField, object, fc.subarray(names), (field, given, opened) => {
        const fields = memberFields(field);
        const { shown, hidden } = splitMembers(fields, given, new Set(opened));
        expect([...shown, ...hidden].map(({ key }) => key).toSorted()).toEqual(fields.map(({ key }) => key).toSorted());
        for (const { key, required } of hidden) expect([required, readMember(given, key)]).toEqual([false, undefined]);
        const known = new Set(fields.map(({ key }) => key));
        const held = fields.filter(({ key }) => readMember(given, key) !== undefined);
        expect(held.length + Object.keys(otherMembers(known, given) ?? {}).length).toBe(Object.keys(given).length);
      }),
    );
  });
});

describe('an edit of a member', () => {
  test('changes no other member and keeps its position', () => {
    fc.assert(
      fc.property(object, fc.oneof(name, fc.string()), fc.option(value, { nil: undefined }), (given, key, next) => {
        const written = withMember(given, key, next);
        expect(JSON.stringify(readMember(written, key))).toBe(JSON.stringify(next));
        expect(withMember(written, key, undefined)).toEqual(withMember(given, key, undefined));
        if (Object.hasOwn(given, key) && next !== undefined) expect(Object.keys(written)).toEqual(Object.keys(given));
      }),
    );
  });

  test('without a field changes no member that has one, whatever names it contains', () => {
    fc.assert(
      fc.property(object, object, fc.subarray(names), (given, others, keys) => {
        const known = new Set(keys);
        const written = withOtherMembers(known, given, others);
        for (const key of keys) expect(readMember(written, key)).toEqual(readMember(given, key));
        expect(otherMembers(known, written)).toEqual(otherMembers(known, others));
      }),
    );
  });
});

describe('an edit of a list', () => {
  const items = fc.array(value, { maxLength: 6 });

  test('that moves an item there and back, or adds and removes one, leaves the list unchanged', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: -1, max: 7 }), fc.integer({ min: -1, max: 7 }), (given, from, to) => {
        expect(moveItem(moveItem(given, from, to), to, from)).toEqual(given);
        expect(moveItem(given, from, to)).toHaveLength(given.length);
        const added = addItem(given, makeField({ key: 'item', type: 'number' }));
        expect(removeItem(added, given.length)).toEqual(given);
      }),
    );
  });

  test('writes null for an item without a value, and shows null as no value unless the field is nullable', () => {
    expect(withItem([1, 2], 0, undefined)).toEqual([null, 2]);
    expect(itemValue(null, makeField({ key: 'item', type: 'number' }))).toBeUndefined();
    expect(itemValue(null, makeField({ key: 'item', type: 'number', nullable: true }))).toBeNull();
  });
});

const text = (key: string, required = false): ManifestField => ({ key, type: 'string', required });
const payment = makeField({
  key: 'payment',
  type: 'variant',
  discriminator: 'kind',
  variants: [
    {
      name: 'card',
      label: 'Card',
      field: { key: 'card', type: 'object', fields: [text('kind'), text('token', true)] },
    },
    { name: 'invoice', field: { key: 'invoice', type: 'object', fields: [text('kind'), text('days')] } },
  ],
});
const contact = makeField({
  key: 'contact',
  type: 'variant',
  variants: [
    { name: 'address', field: text('address') },
    { name: 'person', field: { key: 'person', type: 'object', fields: [text('name', true)] } },
    { name: 'firm', field: { key: 'firm', type: 'object', fields: [text('firm', true), text('vat')] } },
  ],
});
const shapeNamed = (field: Field, wanted: string) =>
  listShapes(field).find((shape) => shape.name === wanted) ?? expect.fail('No shape');

describe('the shape of a variant', () => {
  test.each([
    ['the one that the discriminator names', payment, { kind: 'invoice', token: 't' }, 'invoice'],
    ['none without a discriminator', payment, { token: 't' }, undefined],
    ['the first that fits', contact, 'me@shop.example', 'address'],
    ['the object that fits', contact, { firm: 'Acme' }, 'firm'],
    ['the one with most members where none fits', contact, { vat: '1' }, 'firm'],
    ['none of another kind', contact, 5, undefined],
    ['none without a value', contact, undefined, undefined],
  ] as const)('is %s', (_, field, given, expected) => {
    expect(findShape(field, given)?.name).toBe(expected);
  });

  test('is set in the value, which loses the members of the old shape and keeps those that no shape describes', () => {
    const card = { kind: 'card', token: 't', traceId: 7 };
    const invoice = inShape(payment, card, shapeNamed(payment, 'invoice'));
    expect(invoice).toEqual({ kind: 'invoice', traceId: 7 });
    expect(inShape(payment, invoice, shapeNamed(payment, 'card'), card)).toEqual(card);
  });

  test('is the chosen shape afterwards, for every value', () => {
    fc.assert(
      fc.property(object, fc.constantFrom('card', 'invoice'), (given, wanted) => {
        expect(findShape(payment, inShape(payment, given, shapeNamed(payment, wanted)))?.name).toBe(wanted);
      }),
    );
  });
});

test('a new member begins with its default, an empty structure or empty text; any other has no value', () => {
  const starts = [
    { type: 'string', default: 'EUR' },
    { type: 'string' },
    { type: 'object', fields: [] },
    { type: 'list', items: text('item') },
    { type: 'string', format: 'date' },
    { type: 'number' },
  ].map((given) => startValue(makeField({ key: 'x', ...given })));
  expect(starts).toEqual(['EUR', '', {}, [], undefined, undefined]);
});

test('the search finds members by label, name and help, the best first', () => {
  const fields = [
    { ...text('ref'), help: 'The note of the buyer.' },
    { ...text('delivery-note'), label: 'Delivery' },
    { ...text('memo'), label: 'Note' },
  ].map(makeField);
  expect(findFields(fields, 'NOTE').map(({ key }) => key)).toEqual(['memo', 'delivery-note', 'ref']);
  expect(findFields(fields, 'note buyer').map(({ key }) => key)).toEqual(['ref']);
  expect(findFields(fields, '')).toHaveLength(3);
});

test('a problem is shown by the field that it is about, even if names have dots', () => {
  const problems = [
    { path: 'order.a.b', message: 'deep' },
    { path: 'order.payment.kind', message: 'kind' },
    { path: 'orders', message: 'another' },
  ];
  const order = makeField({ key: 'order', type: 'object', fields: [] });
  expect(problemAt(problems, 'order')).toBe('deep');
  expect(problemAt(problems, 'order', order)).toBeUndefined();
  expect(problemAt(problems, 'order.a.b')).toBe('deep');
  expect(problemAt(problems, 'order.payment', payment)).toBe('kind');
});

test('a folded value says what it holds in a few words', () => {
  expect(preview({ sku: 'A-1', quantity: 2, note: '', more: [{ x: true }] })).toBe('A-1 · 2 · true');
  expect(preview({ text: 'x'.repeat(200) })).toHaveLength(61);
  expect(preview({})).toBe('');
});
