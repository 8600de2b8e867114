import { GraphQLError, type GraphQLField, type GraphQLSchema } from 'graphql';
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
            resolve: (own, _args, context, { schema }) =>
              own[can] !== false && mayRun(findMutation(mutation, schema), context),
          }),
        ]),
      ),
  });

type Permissions = Partial<Record<string, boolean>>;
/** Represents the permissions of objects without rules of their own: roles belong to a tenant. */
export const permissions: Permissions = {};

/** The mutations that the viewer may run in the tenant of the request, by name, by the same rules. */
export const allowedMutations = (context: Context, schema: GraphQLSchema): string[] =>
  Object.values(schema.getMutationType()?.getFields() ?? {})
    .filter((field) => mayRun(field, context))
    .map(({ name }) => name);

function findMutation(name: string, schema: GraphQLSchema): AnyField {
  const field = schema.getMutationType()?.getFields()[name];
  if (!field) throw new Error(`There is no mutation ${name}.`);
  return field;
}

type AnyField = GraphQLField<unknown, unknown>;

/** A mutation without access of its own needs no more than the root. */
function mayRun({ extensions }: AnyField, context: Context): boolean {
  const { authScopes } = extensions['pothosOptions'] as { authScopes?: Partial<FieldAccess> };
  try {
    assertAccess(context, authScopes ?? { identified: true });
    return true;
  } catch (error) {
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}
