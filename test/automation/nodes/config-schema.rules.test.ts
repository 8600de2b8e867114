import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkFieldValues } from '#src/automation/node-api/field-values.rules.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import { buildConfigSchema } from '#src/automation/nodes/config-schema.rules.ts';

const keys = ['a', 'b', 'c'] as const;

const scalar = fc.constantFrom<unknown>(
  null,
  '',
  'a',
  'ab1',
  '{{ x }}',
  7,
  1.5,
  true,
  'https://a.example',
  '2026-03-01',
  '12345678901234567890',
);

/** A random value whose members have the fields' keys, so that most of them match a field. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: scalar },
    { weight: 2, arbitrary: fc.dictionary(fc.constantFrom(...keys, 'other'), tie('value'), { maxKeys: 3 }) },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 2 }) },
  ),
}));

const plainTypes = [
  'string',
  'secret',
  'number',
  'boolean',
  'select',
  'url',
  'text',
  'json',
  'expression',
  'list',
] as const;

const plain = (types: readonly ConfigField['type'][]) =>
  fc
    .record({
      key: fc.constantFrom<string>(...keys),
      type: fc.constantFrom(...types),
      required: fc.boolean(),
      dynamic: fc.boolean(),
      pattern: fc.constantFrom(undefined, '^[a-z]+$'),
      format: fc.constantFrom(undefined, 'date', 'integer', 'unknown'),
    })
    .map(({ pattern, format, ...more }): ConfigField => ({
      ...more,
      options: [{ value: 'a', label: 'A' }, { value: 7 }, { value: '' }],
      ...(pattern !== undefined && { pattern }),
      ...(format !== undefined && { format }),
    }));

const members = (field: fc.Arbitrary<ConfigField>) =>
  fc.uniqueArray(field, { selector: ({ key }) => key, minLength: 1, maxLength: 3 });

const { inner } = fc.letrec<{ inner: ConfigField }>((tie) => ({
  inner: fc
    .oneof(
      { maxDepth: 3, withCrossShrink: true },
      plain(plainTypes),
      fc.record({ key: fc.constantFrom(...keys), type: fc.constant('object' as const), fields: members(tie('inner')) }),
      fc.record({ key: fc.constantFrom(...keys), type: fc.constant('list' as const), items: tie('inner') }),
      fc.record(
        {
          key: fc.constantFrom(...keys),
          type: fc.constant('variant' as const),
          discriminator: fc.constantFrom(...keys),
          variants: fc.tuple(tie('inner'), tie('inner')).map(([one, other]) => [
            { name: 'a', field: one },
            { name: 'ab1', field: other },
          ]),
        },
        { requiredKeys: ['key', 'type', 'variants'] },
      ),
    )
    .chain((field) =>
      fc.record({ required: fc.boolean(), nullable: fc.boolean() }).map((more) => ({ ...field, ...more })),
    ),
}));

const field = fc.oneof(
  plain([...plainTypes, 'credentials-ref']),
  inner.map((field): ConfigField => ({ ...field, nullable: false })),
);

test('a config schema accepts exactly the configs without a fault', () => {
  // One instance for all configs, because each instance compiles the meta-schema again.
  const ajv = new Ajv2020();
  fc.assert(
    fc.property(members(field), fc.dictionary(fc.constantFrom(...keys, 'other'), value), (fields, values) => {
      const config = JSON.parse(JSON.stringify(values)) as Record<string, unknown>;
      const faults = checkFieldValues(fields, config, { expressions: true });
      const fits = ajv.validate(buildConfigSchema(fields), config);
      expect({ fits, fields, config }).toEqual({ fits: faults.length === 0, fields, config });
    }),
    { numRuns: 500 },
  );
});
