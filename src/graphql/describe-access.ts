import type { GraphQLSchema } from 'graphql';
import type { FieldAccess } from './access.ts';

const roles: Record<Exclude<keyof FieldAccess, 'scope'>, string> = {
  identified: 'any token or API key',
  authenticated: 'any token',
  tester: 'any role',
  member: 'role `user` or `admin`',
  admin: 'role `admin`',
  operator: 'role `operator`',
};

/** Ends the description of each mutation with the access that it needs, from its `authScopes`. */
export function describeAccess(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { authScopes } = field.extensions['pothosOptions'] as { authScopes?: Partial<FieldAccess> };
    if (authScopes) field.description = `${field.description ?? ''} Needs ${describeNeeded(authScopes)}.`.trim();
  }
  return schema;
}

const describeNeeded = ({ scope, ...access }: Partial<FieldAccess>): string =>
  [
    ...Object.keys(access).map((kind) => roles[kind as keyof typeof roles]),
    ...(scope === undefined ? [] : [`an API key with scope \`${scope}\``]),
  ].join(', or ');
