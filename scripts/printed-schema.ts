import { lexicographicSortSchema, printSchema } from 'graphql';
import { domains } from '#src/domains/domains.ts';
import { loadSchema } from '#src/schema.ts';

export const schemaFile = new URL('../schema.graphql', import.meta.url);

/** The graph as it is committed and reviewed: sorted, so that a change shows where it is and nothing else moves. */
export const printedSchema = async (): Promise<string> =>
  `${printSchema(lexicographicSortSchema(await loadSchema(domains)))}\n`;
