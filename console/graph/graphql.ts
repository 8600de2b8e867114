import { initGraphQLTada } from 'gql.tada';
import type { introspection } from '#console/generated/graph.d.ts';

/**
 * Makes a document whose variables and result are typed by `schema.graphql`. Its text and its fragments must be literals, and a
 * constant that holds a fragment has the fragment's name, which is unique in the console: the build reads the documents from the sources.
 */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  // A screen reads the fields of its fragments where it shows them, so nothing would be gained by hiding them.
  disableMasking: true;
  scalars: {
    Base64: string;
    /** An ISO 8601 instant in UTC. */
    DateTime: string;
    /** An exact decimal, without an exponent. */
    Decimal: string;
    JSON: unknown;
    /** A whole number; one beyond 2^53 arrives as its digits in an `ExactNumber`. */
    Long: number;
  };
}>();

export type { ResultOf, VariablesOf } from 'gql.tada';
