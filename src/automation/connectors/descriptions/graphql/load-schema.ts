import { parse } from 'graphql/language/parser.js';
import type { GraphQLSchema } from 'graphql/type/schema.js';
import { buildASTSchema } from 'graphql/utilities/buildASTSchema.js';
import { buildClientSchema } from 'graphql/utilities/buildClientSchema.js';
import type { IntrospectionQuery } from 'graphql/utilities/getIntrospectionQuery.js';
import { AppError } from '#src/infra/errors.ts';

/** The largest schema that we know, GitHub's, has 320,000 tokens. */
const maxTokens = 2_000_000;

/** Parses a schema in GraphQL's schema language. Throws UNPROCESSABLE with the place of the fault. */
export const loadSdl = (text: string): GraphQLSchema =>
  orRefuse(() => buildASTSchema(parse(text, { noLocation: true, maxTokens }), { assumeValidSDL: true }));

/** Reads the schema from the answer to an introspection query. */
export const loadIntrospection = (answer: unknown): GraphQLSchema =>
  orRefuse(() => buildClientSchema(answer as IntrospectionQuery, { assumeValid: true }));

function orRefuse(load: () => GraphQLSchema): GraphQLSchema {
  try {
    const schema = load();
    // The library resolves types lazily, so this finds faults in them now.
    for (const type of Object.values(schema.getTypeMap())) if ('getFields' in type) type.getFields();
    return schema;
  } catch (error) {
    // The library throws errors of several kinds for faulty input, and a RangeError for types that are nested too deep.
    const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 200) : '';
    throw new AppError(
      'UNPROCESSABLE',
      `The description is not a valid GraphQL schema: ${reason} Correct it and try again.`,
    );
  }
}
