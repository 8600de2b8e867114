import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, type GraphQLSchema, introspectionFromSchema, isInterfaceType } from 'graphql';
import { inputCatalogue } from './console-inputs.ts';

/** What the console knows of the graph: each generated file with its text, for a printed schema. */
export function consoleFiles(printed: string): [file: string, text: string][] {
  const schema = buildSchema(printed);
  return [
    ['console/generated/graph.d.ts', graphTypes(schema)],
    ['console/generated/possible-types.ts', possibleTypes(schema)],
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
