import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRequest, formatDocument, stringifyDocument } from '@urql/core';
import { graphql } from 'gql.tada';
import { listFiles, productDir } from './build-inputs.ts';
import { type DocumentCall, findDocumentCalls } from './document-calls.ts';

/** What `graphql()` of the console makes of a text. */
type Document = ReturnType<typeof graphql>;

/** As the console calls it, with the fragments that are spread. Its types are of documents that are known when they are compiled. */
const parseDocument = graphql as unknown as (text: string, fragments: Document[]) => Document;

/**
 * The texts of the console's queries, mutations and subscriptions as its client sends them, by their sha256. They come from the sources
 * (see console/graph/graphql.ts), through the functions that the client itself uses. Throws an error with the file of a document that
 * cannot be read.
 */
export async function extractDocuments(directory = productDir): Promise<Map<string, string>> {
  const files = listFiles(directory, 'console').filter((file) => /(?<!\.d)\.tsx?$/.test(file));
  const calls = await Promise.all(
    files.map(async (file) => findDocumentCalls(file, await readFile(join(directory, file), 'utf8'))),
  );
  return assembleDocuments(calls.flat());
}

function assembleDocuments(calls: readonly DocumentCall[]): Map<string, string> {
  const named = new Map<string, DocumentCall>();
  for (const call of calls) {
    if (call.name === undefined || !isFragment(call)) continue;
    if (!new RegExp(`\\bfragment ${call.name} on\\b`).test(call.text)) {
      throw new Error(`${call.file}: the constant ${call.name} holds a fragment of another name. Give both one name.`);
    }
    const other = named.get(call.name);
    if (other) {
      throw new Error(
        `${other.file} and ${call.file} both hold a fragment in a constant named ${call.name}. Rename one of them: fragments are found by that name.`,
      );
    }
    named.set(call.name, call);
  }
  const made = new Map<DocumentCall, Document>();
  function make(call: DocumentCall, within: readonly DocumentCall[] = []): Document {
    const known = made.get(call);
    if (known) return known;
    if (within.includes(call)) throw new Error(`${call.file}: the fragment ${call.name} contains itself.`);
    const fragments = call.fragments.map((name) => {
      const fragment = named.get(name);
      if (!fragment) {
        throw new Error(
          `${call.file}: no fragment is held by a constant named ${name}. Write the constant's own name, which an import must not change.`,
        );
      }
      return make(fragment, [...within, call]);
    });
    const document = parse(call, fragments);
    made.set(call, document);
    return document;
  }
  const texts = calls.filter((call) => !isFragment(call)).map((call) => sentText(make(call)));
  return new Map(texts.map((text) => [createHash('sha256').update(text).digest('hex'), text]));
}

const isFragment = ({ text }: DocumentCall): boolean => /^\s*(#.*\s*)*fragment\s/.test(text);

function parse({ file, text }: DocumentCall, fragments: Document[]): Document {
  try {
    return parseDocument(text, fragments);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}, in the document ${text.trim().slice(0, 60)}...`, {
      cause: error,
    });
  }
}

/** The text of a request: the cache adds `__typename` where it needs it. */
const sentText = (document: Document): string => stringifyDocument(formatDocument(createRequest(document, {}).query));
