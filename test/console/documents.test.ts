import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DocumentNode, Kind } from 'graphql';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createGraphClient, type GraphClient } from '#console/graph/client.ts';
import { graphql } from '#console/graph/graphql.ts';
import type { Session } from '#console/session/session.ts';
import { extractDocuments } from '#src/console/documents.ts';
import { createPersistedDocuments } from '#src/graphql/persisted-documents.ts';
import { test as base } from '#test/setup/app-test.ts';

/** Someone who is signed in. */
const session = {
  state: { kind: 'signed-in' },
  accessToken: () => Promise.resolve('token'),
  subscribe: () => () => undefined,
} as unknown as Session;

/** The queries and mutations that the modules of documents export. */
async function loadDocuments(): Promise<DocumentNode[]> {
  const files = globSync('console/**/*.documents.ts');
  const modules = await Promise.all(files.map((file) => import(`#${file}`) as Promise<Record<string, DocumentNode>>));
  return modules.flatMap((each) => Object.values(each)).filter(isSent);
}

const isSent = (value: DocumentNode): boolean => {
  const [first] = 'definitions' in value ? value.definitions : [];
  return first?.kind === Kind.OPERATION_DEFINITION && first.operation !== 'subscription';
};

describe('the documents of the console', () => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push((JSON.parse(body) as { query: string }).query);
      response.setHeader('content-type', 'application/json').end('{"data":null}');
    });
  });
  let graph: GraphClient;
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    graph = createGraphClient({ session, tenant: 'acme-shop', base: `http://127.0.0.1:${port}/` });
  });
  afterAll(() => {
    graph.dispose();
    server.closeAllConnections();
    server.close();
  });

  const send = async (document: DocumentNode): Promise<string> => {
    const isMutation = (document.definitions[0] as { operation?: string }).operation === 'mutation';
    await (isMutation ? graph.client.mutation(document, {}) : graph.client.query(document, {})).toPromise();
    return received.at(-1) ?? '';
  };

  base('are extracted as the client sends them, to the letter', async () => {
    const texts = new Set((await extractDocuments()).values());
    const documents = await loadDocuments();
    expect(documents.length).toBeGreaterThan(3);
    for (const document of documents) {
      const before = received.length;
      const text = await send(document);
      expect(received.length).toBe(before + 1);
      expect(texts).toContain(text);
    }
  });

  base('are extracted in the same text when they spread fragments that spread others', async () => {
    const Inner = graphql(`
      fragment Inner on Run {
        id
        error
      }
    `);
    const Outer = graphql(
      `
        # The row of a list.
        fragment Outer on Run {
          ...Inner
          startedBy {
            name
          }
        }
      `,
      [Inner],
    );
    const Both = graphql(
      `
        query Both($first: Int = 2, $filter: RunFilter = { workflowNames: ["a\\"b", "ü"] }) {
          runs(first: $first, filter: $filter) {
            edges {
              node {
                ...Outer
                ...Inner
                __typename
              }
            }
          }
        }
      `,
      [Outer, Inner],
    );
    const source = await readFile(import.meta.filename, 'utf8');
    const [text] = await extractFrom({
      'console/a.ts': source.slice(source.indexOf('const Inner'), source.indexOf('const source')),
    });
    expect(text).toBe(await send(Both));
  });
});

describe('a document that the build cannot read', () => {
  const rows: [what: string, files: Record<string, string>, message: string][] = [
    [
      'has a text that is put together',
      { 'console/a.ts': 'const A = graphql(`query A { ${fields} }`);' },
      'console/a.ts: graphql() takes its texts as literals without ${}',
    ],
    [
      'spreads fragments that are computed',
      { 'console/a.ts': 'const A = graphql(`query A { me { ...F } }`, list());' },
      'its fragments as constants, a list of them in brackets',
    ],
    [
      'spreads a fragment that an import has renamed',
      { 'console/a.ts': "import { F as G } from './b.ts';\nconst A = graphql(`query A { me { ...F } }`, [G]);" },
      'no fragment is held by a constant named G',
    ],
    [
      'shares the name of a fragment',
      {
        'console/a.ts': 'export const F = graphql(`fragment F on Run { id }`);',
        'console/b.tsx': 'export const F = graphql(`fragment F on Run { name }`);\nexport const C = () => <p>{F}</p>;',
      },
      'console/a.ts and console/b.tsx both hold a fragment in a constant named F. Rename one of them',
    ],
    [
      'holds a fragment of another name',
      { 'console/a.ts': 'const F = graphql(`fragment A on Run { id }`);' },
      'the constant F holds a fragment of another name',
    ],
    [
      'names a list by a constant',
      { 'console/a.ts': 'const A = rows(field, F);' },
      'console/a.ts: rows() takes its texts as literals',
    ],
    [
      'is a mutation whose selection is put together',
      { 'console/a.ts': 'const A = mutation("cancelOrder", `order { ${fields} }`);' },
      'console/a.ts: mutation() takes its texts as literals',
    ],
    ['is no GraphQL', { 'console/a.ts': 'const A = graphql(`query A { me {`);' }, 'in the document query A { me {'],
  ];
  base.for(rows)('because it %s is refused, with its file', async ([, files, message]) => {
    await expect(extractFrom(files)).rejects.toThrow(message);
  });
});

const documents = await extractDocuments();
const test = base.extend(
  'appOptions',
  { scope: 'file' },
  { persisted: createPersistedDocuments(documents, { only: true }) },
);

test('a server that allows persisted documents alone has checked those of the console, and executes them', async ({
  api,
}) => {
  const runs = [...documents.values()].find((text) => text.includes('query Runs('));
  const { data, errors } = await api.graphql(runs ?? '', { first: 1 });
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({ runs: { edges: [] } });
  const other = await api.graphql('{ me { claims { sub } } }');
  expect(other.errors?.[0]?.message).toBe('Only persisted documents are executed here.');
});

/** The texts of a console of these files. */
async function extractFrom(files: Record<string, string>): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-documents-'));
  try {
    await mkdir(join(directory, 'console'));
    for (const [path, content] of Object.entries(files)) await writeFile(join(directory, path), content);
    return [...(await extractDocuments(directory)).values()];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
