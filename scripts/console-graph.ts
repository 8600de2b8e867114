import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import {
  buildSchema,
  getNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  introspectionFromSchema,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { inputCatalogue } from './console-inputs.ts';

/** What the console knows of the graph: each generated file with its text, for a printed schema. */
export function consoleFiles(printed: string): [file: string, text: string][] {
  const schema = buildSchema(printed);
  return [
    ['console/generated/graph.d.ts', graphTypes(schema)],
    ['console/generated/possible-types.ts', possibleTypes(schema)],
    ['console/generated/arguments.ts', listArguments(schema)],
    ['console/generated/inputs.json', inputCatalogue(schema)],
  ];
}

/** The graph as types, from which gql.tada infers the results of documents; without descriptions, which it has no use for. */
function graphTypes(schema: GraphQLSchema): string {
  const introspection = introspectionFromSchema(schema, { descriptions: false });
  return outputIntrospectionFile(minifyIntrospection(introspection), { fileType: '.d.ts', shouldPreprocess: true });
}

/** The object types of each interface, by which the console's cache knows whether a fragment on an interface fits an object. */
function possibleTypes(schema: GraphQLSchema): string {
  const interfaces = Object.values(schema.getTypeMap()).filter(isInterfaceType);
  const named = interfaces.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]);
  return `export const possibleTypes: Record<string, string[]> = ${JSON.stringify(Object.fromEntries(named))};\n`;
}

/** The arguments of the lists of `Query`, which are read forwards, and of the subscriptions to lists: by field, name to type. */
function listArguments(schema: GraphQLSchema): string {
  const queries = fieldsWith(schema.getQueryType(), 'pageInfo');
  const subscriptions = fieldsWith(schema.getSubscriptionType(), 'change');
  const named = [...queries, ...subscriptions].map(({ name, args }) => {
    const forwards = args.filter(({ name: argument }) => !['last', 'before', 'offset', 'cursor'].includes(argument));
    return [name, Object.fromEntries(forwards.map((argument) => [argument.name, String(argument.type)]))];
  });
  const text = JSON.stringify(Object.fromEntries(named));
  return `export const fieldArguments: Record<string, Record<string, string>> = ${text};\n`;
}

/** The fields of a type that return an object with a member. */
const fieldsWith = (type: GraphQLObjectType | null | undefined, member: string) =>
  Object.values(type?.getFields() ?? {}).filter((field) => {
    const returned = getNamedType(field.type);
    return isObjectType(returned) && member in returned.getFields();
  });
