import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { globalId, graphTypes } from '#src/infra/graph-types.ts';
import { decimal } from '#src/infra/text/decimals.ts';

/** The options of each field that is derived from the schema. */
const derived = (schema: z.ZodType, description?: string) => {
  const builder = { field: (options: unknown) => options } as unknown as Parameters<
    ReturnType<typeof mutationInput>['inputFields']
  >[0];
  const member = description === undefined ? schema : schema.describe(description);
  return mutationInput(z.object({ member })).inputFields(builder).member as unknown;
};

const color = z.enum(['red', 'green']).register(graphTypes, { type: 'ExampleColor' });
const place = z.object({ city: z.string() }).register(graphTypes, { type: 'ExamplePlace' });
const target = z
  .union([z.strictObject({ url: z.string() }), z.strictObject({ path: z.string() })])
  .register(graphTypes, { type: 'ExampleTarget' });

describe('a field of a mutation’s input', () => {
  test.each<[string, z.ZodType, unknown, boolean]>([
    ['text', z.string().trim().min(1), 'String', true],
    ['text of a form', z.email().toLowerCase(), 'String', true],
    ['a decimal', decimal({ sign: 'positive' }), 'String', true],
    ['a whole number', z.int().min(1).nullish(), 'Int', false],
    ['a number', z.number(), 'Float', true],
    ['a switch', z.boolean().nullish(), 'Boolean', false],
    ['an instant', z.date().nullish(), 'DateTime', false],
    ['an id', globalId, 'ID', true],
    ['a list', z.array(z.string()).min(1), ['String'], true],
    ['an enum', color.nullish(), 'ExampleColor', false],
    ['a list of objects', z.array(place).max(20).nullish(), ['ExamplePlace'], false],
    ['a choice', target.nullish(), 'ExampleTarget', false],
    ['an object by name', z.record(z.string(), z.unknown()), 'JSON', true],
    ['an object of no named type', z.object({ nodes: z.array(z.string()) }).nullish(), 'JSON', false],
    ['any JSON but none', z.custom<unknown>((value) => value !== undefined), 'JSON', false],
    [
      'a transformed value',
      z
        .string()
        .nullish()
        .transform((text) => text ?? undefined),
      'String',
      false,
    ],
    ['a checked value', z.preprocess((value) => value, z.string()), 'String', true],
  ])('has the type of its schema: %s', (_what, schema, type, required) => {
    expect(derived(schema, 'What it is.')).toEqual({ type, required, description: 'What it is.' });
  });

  test('has the description of the inner schema if it has none of its own', () => {
    expect(derived(z.string().describe('What it is.').nullish())).toMatchObject({ description: 'What it is.' });
  });

  test('may not be optional if null is refused, because the graph cannot distinguish them', () => {
    expect(() => derived(z.string().optional())).toThrow('member must allow null');
  });

  test('that is an enum needs its name in the graph', () => {
    expect(() => derived(z.enum(['red', 'blue']))).toThrow('red, blue');
  });
});
