import { expect, test } from 'vitest';
import { missingFields } from '#console/ui/form/missing-fields.ts';

const required = { type: 'String', isRequired: true } as const;
const inputs = {
  AddressInput: [
    { name: 'street', ...required },
    { name: 'note', type: 'String' },
  ],
};

test('what has to be entered is found, in objects that are begun and in members whose layout is known', () => {
  const fields = [
    { name: 'name', ...required },
    { name: 'active', type: 'Boolean', isRequired: true as const },
    { name: 'count', type: 'Int', isRequired: true as const, default: '1' },
    { name: 'topics', ...required, isList: true as const },
    { name: 'billing', type: 'AddressInput' },
    { name: 'shipping', type: 'AddressInput', isRequired: true as const },
    { name: 'config', type: 'JSON', isRequired: true as const, members: [{ name: 'header', ...required }] },
  ];
  expect(missingFields({ inputs }, fields, {})).toEqual(['name', 'topics', 'shipping', 'config.header']);
  const begun = {
    name: 'ERP',
    topics: ['a'],
    billing: { note: 'x' },
    shipping: { street: 's' },
    config: { header: 'X' },
  };
  expect(missingFields({ inputs }, fields, begun)).toEqual(['billing.street']);
});
