import type { z } from 'zod';

/** Who reads which key of a mutation's input. */
export interface MutationInput {
  /** What the service parses; null where the mutation takes nothing but `keys`. */
  schema: z.ZodObject | null;
  /** What the resolver passes on as it is: ids, names that the service looks up, payloads of any JSON. */
  keys: readonly string[];
}

/**
 * A mutation's declaration of its input, as the `extensions` of its field: the schema that its service parses and, beside
 * it, the keys that are not part of the schema. test/checks/mutation-inputs.test.ts holds the GraphQL input type and the
 * body of the REST route against it.
 */
export const takes = (schema: z.ZodObject | null, ...keys: string[]): { input: MutationInput } => ({
  input: { schema, keys },
});
