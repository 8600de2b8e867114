import { buildSchema, type GraphQLField, type GraphQLInputObjectType, getNamedType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonSchemaOf } from '#rest/bodies.ts';
import { snakeCase } from '#rest/snake-case.ts';
import type { MutationInput } from '#src/graphql/mutation-input.ts';
import { everyRoute } from '#test/rest-compat/rest.ts';
import { schema } from '#test/setup/schema.ts';
import { inputDifferences } from './input-differences.ts';

const inputOf = ({ extensions }: GraphQLField<unknown, unknown>): MutationInput | undefined =>
  extensions['input'] as MutationInput | undefined;
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

const howToDeclare =
  "declares no input. Add `extensions: takes(schema, 'id')` to the mutation: the zod schema of x.inputs.ts that its " +
  'service parses, or null, and beside it the ids and names that are not part of the schema.';

describe('the input type of a mutation', () => {
  test('has the fields of the schema that its service parses and the keys beside it', () => {
    expect(mutations.length).toBeGreaterThan(30);
    const faults = mutations.flatMap((field) => {
      const input = inputOf(field);
      if (!input) return [`${field.name} ${howToDeclare}`];
      const type = getNamedType(field.args[0]?.type) as GraphQLInputObjectType;
      return inputDifferences(type, input).map((difference) => `${field.name}: ${difference}`);
    });
    expect(faults).toEqual([]);
  });

  const example = buildSchema(`
    scalar JSON
    enum Color { red green }
    input Example {
      id: ID!, name: String!, count: Int, color: Color, tags: [String!], data: JSON, target: Target, places: [Place!]
    }
    input Place { city: String! }
    input Target @oneOf { url: String, path: String }
    type Query { example(input: Example!): String }
  `).getType('Example') as GraphQLInputObjectType;
  const fitting = z.object({
    name: z.string().trim().min(1),
    count: z.int().nullish(),
    color: z
      .enum(['red', 'green'])
      .nullish()
      .transform((value) => value ?? undefined),
    tags: z.array(z.string()).nullish(),
    data: z.record(z.string(), z.unknown()).nullish(),
    target: z.union([z.strictObject({ url: z.string() }), z.strictObject({ path: z.string() })]).nullish(),
    places: z.array(z.object({ city: z.string() })).nullish(),
  });

  test.each<[string, z.ZodObject, string[], string[]]>([
    ['nothing', fitting, ['id'], []],
    ['a forgotten field', fitting.omit({ name: true }), ['id'], ['Neither the schema nor the other keys have name.']],
    ['a forgotten id', fitting, [], ['Neither the schema nor the other keys have id.']],
    ['a key of neither', fitting.extend({ size: z.int() }), ['id'], ['The GraphQL input has no field size.']],
    ['a key of both', fitting, ['id', 'name'], ['name is in the schema and need not be named beside it.']],
    [
      'an unparsed number',
      fitting.omit({ count: true }),
      ['id', 'count'],
      ['count is of kind integer and belongs in the schema.'],
    ],
    ['an optional name', fitting.extend({ name: z.string().nullish() }), ['id'], ['name is non-null in GraphQL only.']],
    ['a default', fitting.extend({ name: z.string().default('A') }), ['id'], ['name is non-null in GraphQL only.']],
    ['a required count', fitting.extend({ count: z.int() }), ['id'], ['count may be null in GraphQL only.']],
    [
      'a null that is refused',
      fitting.extend({ count: z.int().optional() }),
      ['id'],
      ['count may be null in GraphQL only: use nullish().'],
    ],
    [
      'another kind',
      fitting.extend({ count: z.string().nullish() }),
      ['id'],
      ['count is of kind integer in GraphQL and of kind string in the schema.'],
    ],
    [
      'another value of an enum',
      fitting.extend({ color: z.enum(['red', 'blue']).nullish() }),
      ['id'],
      ['color is of kind enum of green, red in GraphQL and of kind enum of blue, red in the schema.'],
    ],
    [
      'a list of something else',
      fitting.extend({ tags: z.array(z.int()).nullish() }),
      ['id'],
      ['tags is of kind list of string in GraphQL and of kind list of integer in the schema.'],
    ],
    [
      'another choice',
      fitting.extend({
        target: z.union([z.strictObject({ url: z.string() }), z.strictObject({ file: z.string() })]).nullish(),
      }),
      ['id'],
      ['target is of kind one of path, url in GraphQL and of kind one of file, url in the schema.'],
    ],
    [
      'a field of an object within',
      fitting.extend({ places: z.array(z.object({ city: z.string().nullish(), zip: z.string() })).nullish() }),
      ['id'],
      ['places: city is non-null in GraphQL only.', 'places: The GraphQL input has no field zip.'],
    ],
  ])('is held against its declaration: %s', (_name, given, keys, faults) => {
    expect(inputDifferences(example, { schema: given, keys })).toEqual(faults);
  });
});

/** What REST says otherwise than the mutation, by mutation and member of the body, and why. */
const otherwise: Record<string, Record<string, string>> = {
  createCredential: { expires_at: 'A body holds the text of an instant, for JSON has no dates.' },
  updateCredential: {
    name: 'REST refuses null, which GraphQL reads as left out.',
    config: 'REST refuses null, which GraphQL reads as left out.',
    expires_at: 'A body holds the text of an instant, for JSON has no dates.',
  },
  putSecret: { key: 'The path names the key.' },
  restoreWorkflowRevision: { revision: 'The path names the revision.' },
  completeAuthorization: Object.fromEntries(
    ['outcome', 'state', 'iss'].map((name) => [name, 'A provider redirects with a query, not a body.']),
  ),
  fireWebhook: { idempotency_key: 'The body is the payload; the id of a verified event is the key.' },
  testNode: { workflow_id: 'A body names a workflow by its integer.' },
  rerunRun: { payload: 'Any JSON, which the service checks without a schema.' },
};

interface ObjectSchema {
  properties?: Record<string, { description?: string }>;
  required?: string[];
}

/** The members of a JSON Schema, each as text without its description, with whether it is required. */
function membersOf({ properties = {}, required = [] }: ObjectSchema, rename = (name: string) => name) {
  return new Map(
    Object.entries(properties).map(([name, { description: _text, ...member }]) => [
      rename(name),
      JSON.stringify([required.includes(name) ? 'required' : 'optional', member]),
    ]),
  );
}

test('the body of a REST route has the members of its mutation’s schema in snake case, with the same limits', () => {
  const found: Record<string, string[]> = {};
  for (const { row } of everyRoute.filter(({ row: { operation } }) => operation.kind === 'mutation')) {
    const mutation = row.operation.field;
    const declared = inputOf(mutation)?.schema;
    const wanted = declared ? membersOf(jsonSchemaOf(declared), snakeCase) : new Map<string, string>();
    const body = membersOf(row.body?.content()['application/json']?.schema ?? {});
    const names = new Set([...wanted.keys(), ...body.keys()]);
    const different = [...names].filter((name) => wanted.get(name) !== body.get(name));
    if (different.length > 0) found[mutation.name] = different.toSorted();
  }
  const listed = Object.entries(otherwise).map(([name, members]) => [name, Object.keys(members).toSorted()]);
  expect(found).toEqual(Object.fromEntries(listed));
});
