import { lexicographicSortSchema, printSchema } from 'graphql';
import { domains } from '#src/domains/domains.ts';
import { loadSchema } from '#src/schema.ts';

export const schemaFile = new URL('../schema.graphql', import.meta.url);

/** The graph in its committed form: sorted, so that a change shows in its place and nothing else moves. */
export const printedSchema = async (): Promise<string> =>
  `${printSchema(lexicographicSortSchema(await loadSchema(domains)))}\n`;
