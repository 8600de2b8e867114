import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, introspectionFromSchema } from 'graphql';

/** The graph as types, from which gql.tada infers the results of the console's documents. */
export const consoleGraphFile = 'console/generated/graph.d.ts';

/** The types of a printed schema; without descriptions, which they have no use for. */
export function consoleGraph(printed: string): string {
  const introspection = introspectionFromSchema(buildSchema(printed), { descriptions: false });
  return outputIntrospectionFile(minifyIntrospection(introspection), { fileType: '.d.ts', shouldPreprocess: true });
}
