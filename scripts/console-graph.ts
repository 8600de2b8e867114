import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, introspectionFromSchema, isInterfaceType } from 'graphql';

/** The graph as types, from which gql.tada infers the results of the console's documents. */
export const consoleGraphFile = 'console/generated/graph.d.ts';

/** The types of a printed schema; without descriptions, which they have no use for. */
export function consoleGraph(printed: string): string {
  const introspection = introspectionFromSchema(buildSchema(printed), { descriptions: false });
  return outputIntrospectionFile(minifyIntrospection(introspection), { fileType: '.d.ts', shouldPreprocess: true });
}

/** The object types of each interface, by which the console's cache knows whether a fragment on an interface fits an object. */
export const possibleTypesFile = 'console/generated/possible-types.ts';

/** The module of a printed schema. */
export function possibleTypes(printed: string): string {
  const schema = buildSchema(printed);
  const interfaces = Object.values(schema.getTypeMap()).filter(isInterfaceType);
  const named = interfaces.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]);
  return `export const possibleTypes: Record<string, string[]> = ${JSON.stringify(Object.fromEntries(named))};\n`;
}
