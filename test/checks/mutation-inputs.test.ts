import { type GraphQLField, type GraphQLInputObjectType, getNamedType, isEnumType } from 'graphql';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { toJsonSchema } from '#rest/bodies.ts';
import { snakeCase } from '#rest/snake-case.ts';
import { everyRoute } from '#test/rest-compat/rest.ts';
import { schema } from '#test/setup/schema.ts';

const inputType = ({ args }: GraphQLField<unknown, unknown>) => getNamedType(args[0]?.type) as GraphQLInputObjectType;
/** The schema that the mutation's service parses, see `mutationInput`. */
const inputSchema = (mutation: GraphQLField<unknown, unknown>): z.ZodObject | undefined =>
  inputType(mutation).extensions['schema'] as z.ZodObject | undefined;
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

test('a mutation takes nothing but ids, names, payloads, files and switches beside the schema of its input', () => {
  const parsed = mutations.filter(inputSchema);
  expect(parsed.length).toBeGreaterThan(50);
  const unparsed = mutations.flatMap((mutation) => {
    const { shape = {} } = inputSchema(mutation) ?? {};
    const fields = Object.values(inputType(mutation).getFields()).filter(({ name }) => !(name in shape));
    return fields.map(({ name, type }) => [`${mutation.name}: ${name}`, getNamedType(type).name]);
  });
  expect(unparsed.filter(([, type]) => !['ID', 'String', 'JSON', 'Base64', 'Boolean'].includes(String(type)))).toEqual(
    [],
  );
});

const enumValues = (member: unknown): unknown[] =>
  member instanceof z.ZodEnum ? member.options : enumValues((member as z.ZodOptional).unwrap());

test('an enum of a mutation’s input has the values of its schema', () => {
  const enums = mutations.flatMap((mutation) =>
    Object.values(inputType(mutation).getFields()).flatMap(({ name, type: given }) => {
      const type = getNamedType(given);
      return isEnumType(type)
        ? [{ name: `${mutation.name}: ${name}`, type, member: inputSchema(mutation)?.shape[name] }]
        : [];
    }),
  );
  expect(enums.length).toBeGreaterThan(10);
  const inGraph = enums.map(({ name, type }) => [
    name,
    type
      .getValues()
      .map(({ value }) => String(value))
      .toSorted(),
  ]);
  expect(inGraph).toEqual(enums.map(({ name, member }) => [name, enumValues(member).map(String).toSorted()]));
});

/** Differences between REST and the mutation, by mutation and member of the body, with the reason. */
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
function listMembers({ properties = {}, required = [] }: ObjectSchema, rename = (name: string) => name) {
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
    const declared = inputSchema(mutation);
    const wanted = declared ? listMembers(toJsonSchema(declared), snakeCase) : new Map<string, string>();
    const body = listMembers(row.body?.content()['application/json']?.schema ?? {});
    const names = new Set([...wanted.keys(), ...body.keys()]);
    const different = [...names].filter((name) => wanted.get(name) !== body.get(name));
    if (different.length > 0) found[mutation.name] = different.toSorted();
  }
  const listed = Object.entries(otherwise).map(([name, members]) => [name, Object.keys(members).toSorted()]);
  expect(found).toEqual(Object.fromEntries(listed));
});
