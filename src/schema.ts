import type { GraphQLSchema } from 'graphql';
import type { Domain } from './domain.ts';
import { builder } from './graphql/builder.ts';

/** The graph of the given domains. */
export async function loadSchema(domains: readonly Domain[]): Promise<GraphQLSchema> {
  await Promise.all(domains.map(async ({ graphql }) => graphql?.()));
  return builder.toSchema();
}
