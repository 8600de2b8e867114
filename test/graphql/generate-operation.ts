import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  OperationTypeNode,
} from 'graphql';
import { nameOfScopes, readScopes } from '#rest/execute.ts';
import type { Access } from '#src/graphql/access.ts';
import { schema } from '#test/setup/schema.ts';

export interface RootField {
  operation: OperationTypeNode;
  field: GraphQLField<unknown, unknown>;
  /** `Query.runs`, as it stands in reports. */
  name: string;
}

/** The scope that a root field declares, by name; null where the field is public. */
export function findScope(field: GraphQLField<unknown, unknown>): keyof Access | 'key' | null {
  const scopes = readScopes(field);
  if (!scopes) return null;
  const { scope: _scope, ...roles } = scopes;
  return (nameOfScopes(roles) || 'key') as keyof Access | 'key';
}

/** The scope by which an API key may use the field; undefined where no key may. */
export const findKeyScope = (field: GraphQLField<unknown, unknown>): string | undefined => readScopes(field)?.scope;

export const rootFields: RootField[] = Object.values(OperationTypeNode).flatMap((operation) => {
  const type = schema.getRootType(operation);
  return Object.values(type?.getFields() ?? {}).map((field) => ({
    operation,
    field,
    name: `${type?.name}.${field.name}`,
  }));
});

/** The root fields under the names that `it.each` prints. */
export const named = (fields: RootField[]): [string, RootField][] => fields.map((each) => [each.name, each]);

/** Values that are used wherever an argument or input field has this name. */
export type Known = Record<string, unknown>;

const examples: Record<string, unknown> = {
  ID: '1',
  String: 'x',
  Int: 1,
  Long: 1,
  Boolean: true,
  Float: 1,
  DateTime: '2026-01-31T12:00:00Z',
  JSON: {},
  Base64: 'eA==',
};

/** A value that fits the type: required fields only, and whatever is known. */
export function makeValue(type: GraphQLInputType, known: Known): unknown {
  if (isNonNullType(type)) return makeValue(type.ofType, known);
  if (isListType(type)) return [makeValue(type.ofType, known)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type) && type.isOneOf) {
    const [first] = Object.values(type.getFields());
    return first && { [first.name]: makeValue(first.type, known) };
  }
  if (isInputObjectType(type)) return makeValues(Object.values(type.getFields()), known);
  if (!(type.name in examples))
    throw new Error(`Add an example of the scalar ${type.name} to ${import.meta.filename}.`);
  return examples[type.name];
}

const isRequired = (given: GraphQLArgument | GraphQLInputField): boolean =>
  isRequiredArgument(given) || isRequiredInputField(given);

const makeValues = (fields: readonly (GraphQLArgument | GraphQLInputField)[], known: Known): Known =>
  Object.fromEntries(
    fields
      .filter((each) => isRequired(each) || each.name in known)
      .map((each) => [each.name, each.name in known ? known[each.name] : makeValue(each.type, known)]),
  );

/** A document of the one field, with variables that fit it, selecting `__typename` and a failure's code. */
export function buildOperation({ operation, field }: RootField, known: Known = {}) {
  const variables = makeValues(field.args, known);
  const used = field.args.filter(({ name }) => name in variables);
  const declared = used.length > 0 ? `(${used.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ')})` : '';
  const passed = used.length > 0 ? `(${used.map(({ name }) => `${name}: $${name}`).join(', ')})` : '';
  const failure = operation === OperationTypeNode.MUTATION ? ' ... on Error { code message }' : '';
  const selected = isLeafType(getNamedType(field.type)) ? '' : `{ __typename${failure} }`;
  return { query: `${operation} ${declared} { ${field.name}${passed} ${selected} }`, variables };
}
