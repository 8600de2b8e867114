import { expect, test } from 'vitest';
import { inFieldOrder } from '#src/automation/connectors/calls/member-order.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';

const text = (key: string): ConfigField => ({ key, type: 'string' });
const pair: ConfigField = { key: 'pair', type: 'object', fields: [text('second'), text('one')] };

test.each([
  ['an object', pair, { more: 0, one: 1, second: 2 }, '{"second":2,"one":1,"more":0}'],
  ['a list', { key: 'list', type: 'list', items: pair }, [{ one: 1, second: 2 }, 3], '[{"second":2,"one":1},3]'],
  [
    'a shape that its discriminator names',
    { key: 'v', type: 'variant', discriminator: 'kind', variants: [{ name: 'a', field: pair }] },
    { kind: 'a', one: 1, second: 2 },
    '{"second":2,"one":1,"kind":"a"}',
  ],
  ['no fields', text('a'), { b: 1, a: 2 }, '{"b":1,"a":2}'],
  ['a name that means something', pair, JSON.parse('{"__proto__":1,"one":2}'), '{"one":2,"__proto__":1}'],
  ['nothing', pair, undefined, undefined],
] as [string, ConfigField, unknown, string | undefined][])(
  'members of %s are in the order of their fields',
  (_case, field, value, json) => {
    expect(JSON.stringify(inFieldOrder(field, value))).toBe(json);
  },
);
