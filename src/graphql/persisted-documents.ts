import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import { z } from 'zod';

/** The parameters that a client may send beside or instead of the text: `{extensions: {persistedQuery: {version: 1, sha256Hash}}}`. */
interface Params {
  query?: string | null | undefined;
  extensions?: unknown;
}

/** The graph's own parsing and validation, including its limits. */
export interface DocumentChecks {
  schema: GraphQLSchema;
  parse: (text: string) => DocumentNode;
  validate: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[];
}

export interface PersistedDocuments {
  /** The text to execute: the one sent, or the one with the hash sent. Throws a GraphQLError for an unknown hash. */
  findText(params: Params): string;
  /** True if the text may be executed. */
  allows(text: string): boolean;
  /** Throws an error that names the document and its fault, unless all documents fit the schema and the graph's limits. */
  assertFit(graph: DocumentChecks): void;
}

const named = z.object({ persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string().max(64) }) });

/** `documents` are texts by sha256 (lower-case hex). With `only`, no other text is allowed. */
export function createPersistedDocuments(
  documents: ReadonlyMap<string, string> = new Map(),
  { only = false } = {},
): PersistedDocuments {
  const texts = new Set(documents.values());
  return {
    findText({ query, extensions }) {
      if (query) return query;
      const hash = named.safeParse(extensions).data?.persistedQuery.sha256Hash;
      if (hash === undefined) return '';
      const text = documents.get(hash.toLowerCase());
      if (text === undefined) throw notFound();
      return text;
    },
    allows: (text) => !only || texts.has(text),
    assertFit({ schema, parse, validate }) {
      for (const [hash, text] of documents) {
        const faults = describeFaults(() => validate(schema, parse(text)));
        if (faults) throw new Error(`The persisted document ${hash} cannot be executed: ${faults}`);
      }
    },
  };
}

function describeFaults(check: () => readonly GraphQLError[]): string {
  try {
    return check()
      .map(({ message }) => message)
      .join(' ');
  } catch (error) {
    if (error instanceof GraphQLError) return error.message;
    throw error;
  }
}

// Clients of automatic persisted queries recognise this message, code and status, and then send the text.
const notFound = (): GraphQLError =>
  new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });

const file = z.record(z.string().regex(/^[0-9a-f]{64}$/), z.string());

/**
 * Reads the file that PERSISTED_DOCUMENTS names; throws an error with one sentence about its fault. `own` are the documents of the console,
 * by the same hashes. It sends their texts, so they are added only where no other text is allowed.
 */
export async function readPersistedDocuments(
  env: { PERSISTED_DOCUMENTS?: string | undefined; PERSISTED_DOCUMENTS_ONLY: boolean },
  own: ReadonlyMap<string, string> = new Map(),
): Promise<PersistedDocuments> {
  const { PERSISTED_DOCUMENTS: path, PERSISTED_DOCUMENTS_ONLY: only } = env;
  const documents = new Map(path === undefined ? [] : Object.entries(await readDocuments(path)));
  for (const [hash, text] of documents) {
    const actual = createHash('sha256').update(text).digest('hex');
    if (actual !== hash)
      throw new Error(`PERSISTED_DOCUMENTS: in ${path}, the document under ${hash} has the sha256 ${actual}.`);
  }
  return createPersistedDocuments(only ? new Map([...documents, ...own]) : documents, { only });
}

async function readDocuments(path: string): Promise<Record<string, string>> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Error(`PERSISTED_DOCUMENTS: ${path} is not a readable JSON file (${(error as Error).message}).`, {
      cause: error,
    });
  }
  const parsed = file.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new Error(`PERSISTED_DOCUMENTS: ${path} must be an object of documents by their sha256 in lower-case hex.`);
}
