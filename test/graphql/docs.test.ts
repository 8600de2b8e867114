import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GraphQLInterfaceType } from 'graphql';
import { describe, expect } from 'vitest';
import { maxCost } from '#src/graphql/cost.ts';
import { readPersistedDocuments } from '#src/graphql/persisted-documents.ts';
import { batchLimit, documentLimits } from '#src/graphql/plugins/use-document-limits.ts';
import { maxJsonDepth } from '#src/graphql/scalars.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { makeRun } from '#test/setup/runs.ts';
import { schema } from '#test/setup/schema.ts';

const page = await readFile(new URL('../../docs/graphql.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language, role, text]) => ({
  language,
  role,
  text: text ?? '',
}));

interface Example {
  query: string;
  variables: object;
  answer: object | undefined;
}

/** Each document with the variables and the answer that follow it. */
const examples = blocks.flatMap((block, index): Example[] => {
  if (block.language !== 'graphql') return [];
  const rest = blocks.slice(index + 1);
  const end = rest.findIndex(({ language }) => language === 'graphql');
  const own = end < 0 ? rest : rest.slice(0, end);
  const json = (role: string) => {
    const found = own.find((each) => each.role === role);
    return found && (JSON.parse(found.text) as object);
  };
  return [{ query: block.text, variables: json('variables') ?? {}, answer: json('answer') }];
});

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

describe('the page on the graph', () => {
  test('gives a cache the types that implement Error', () => {
    const [, listed = ''] = /possibleTypes: \{ Error: (\[.*?\]) \}/s.exec(page) ?? [];
    const types = schema.getPossibleTypes(schema.getType('Error') as GraphQLInterfaceType).map(({ name }) => name);
    expect(JSON.parse(listed.replaceAll("'", '"'))).toEqual(types.toSorted());
  });

  test.each(examples.map((example) => [example.query.replaceAll(/\s+/g, ' ').slice(0, 60), example] as const))(
    'shows what is answered to %s',
    async (_start, { query, variables, answer }) => {
      const given = query.startsWith('subscription')
        ? await firstEvent(query, variables)
        : await api.graphql(query, variables);
      expect(answer).toBeDefined();
      expect(given).toEqual(answer);
    },
  );

  test('has examples, each with one answer', () => {
    expect(examples.length).toBeGreaterThan(6);
    expect(blocks.filter(({ role }) => role === 'answer')).toHaveLength(examples.length);
  });

  test('states the real limits', () => {
    const cell = (value: number) => `| ${value.toLocaleString('en')} |`;
    for (const value of [...Object.values(documentLimits), maxCost, batchLimit]) expect(page).toContain(cell(value));
    expect(page).toContain(`at most ${maxJsonDepth} levels deep`);
  });

  test('shows a valid file of persisted documents', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'causeway-docs-'));
    const path = join(directory, 'documents.json');
    await writeFile(path, blocks.find(({ role }) => role === 'documents')?.text ?? '');
    const documents = await readPersistedDocuments({ PERSISTED_DOCUMENTS: path, PERSISTED_DOCUMENTS_ONLY: true });
    expect(documents.allows('query Who { me { claims { sub } } }')).toBe(true);
    await rm(directory, { recursive: true });
  });
});

/** The page's subscription is of a run of the workflow that it has made by then. */
async function firstEvent(query: string, variables: object): Promise<unknown> {
  await api.database.system.query(
    `INSERT INTO workflow_bundles (tenant_id, workflow_id, revision, content) VALUES ('acme-shop', 1, 1, '{}')`,
  );
  await makeRun(api.deps, 'acme-shop', 1);
  const client = await connect(api);
  subscribe(client, 'docs', query, variables);
  const [first] = await client.until((all) => ofOperation(all, 'docs').length > 0 && ofOperation(all, 'docs'));
  client.socket.close();
  return first?.payload;
}
