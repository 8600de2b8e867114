import { GraphQLError, type GraphQLResolveInfo } from 'graphql';
import { assertAccess, type FieldAccess } from './access.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';

/**
 * The type of an object's field `viewerCan`: for each name, whether the viewer may run the mutation named beside it. The result is that of
 * the mutation's own `authScopes`, so that the two cannot differ; an object that also has rules of its own says false for some names.
 */
export const permissionsType = (name: string, mutations: Record<string, string>) =>
  builder.objectRef<Permissions>(name).implement({
    description:
      'What the roles of the viewer allow. Whether the object is in a state that permits it, the mutation itself says.',
    fields: (t) =>
      Object.fromEntries(
        Object.entries(mutations).map(([can, mutation]) => [
          can,
          t.boolean({
            description: `Whether the viewer may run \`${mutation}\`.`,
            resolve: (own, _args, context, info) => own[can] !== false && mayRun(mutation, context, info),
          }),
        ]),
      ),
  });

type Permissions = Partial<Record<string, boolean>>;
/** Represents the permissions of objects without rules of their own: roles belong to a tenant. */
export const permissions: Permissions = {};

function mayRun(mutation: string, context: Context, { schema }: GraphQLResolveInfo): boolean {
  const field = schema.getMutationType()?.getFields()[mutation];
  if (!field) throw new Error(`There is no mutation ${mutation}.`);
  const { authScopes } = field.extensions['pothosOptions'] as { authScopes: Partial<FieldAccess> };
  try {
    assertAccess(context, authScopes);
    return true;
  } catch (error) {
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}
