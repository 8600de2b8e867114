import type { GraphQLSchema } from 'graphql';
import type { DomainManifest } from './domains/domain-manifest.ts';
import { builder } from './graphql/builder.ts';
import { describeAccess } from './graphql/describe-access.ts';

/** Imports the modules of the domains' types, which takes half a second. */
export async function loadTypes(domains: readonly DomainManifest[]): Promise<void> {
  await Promise.all(domains.map(async ({ graphql }) => graphql?.()));
}

/** The graph of the given domains. */
export async function loadSchema(domains: readonly DomainManifest[]): Promise<GraphQLSchema> {
  await loadTypes(domains);
  return describeAccess(builder.toSchema());
}
