import type { GraphQLSchema } from 'graphql';
import { type FieldAccess, hasAccess } from './access.ts';
import type { Caller } from './context.ts';

/** For types whose fields have no scopes of their own: the access that `node(id)` requires, as the `extensions` of the type. */
export const nodeAccess = (needed: Partial<FieldAccess>): { nodeAccess: Partial<FieldAccess> } => ({
  nodeAccess: needed,
});

/**
 * True if the caller may see objects of the type at all. `node(id)` checks this before it loads: a refusal by the object's fields would
 * reveal that the object exists. Throws if a tenant is required and the request has none, whatever the id.
 */
export function maySee(schema: GraphQLSchema, typeName: string, caller: Caller): boolean {
  const { nodeAccess: declared, pothosOptions } = (schema.getType(typeName)?.extensions ?? {}) as {
    nodeAccess?: Partial<FieldAccess>;
    pothosOptions?: { authScopes?: Partial<FieldAccess> };
  };
  const needed = declared ?? pothosOptions?.authScopes;
  return needed === undefined || hasAccess(caller, needed);
}
