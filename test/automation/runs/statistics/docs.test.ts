import { readFile } from 'node:fs/promises';
import { parse } from 'graphql';
import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';

const page = await readFile(new URL('../../../../docs/statistics.md', import.meta.url), 'utf8');
const documents = [...page.matchAll(/^```graphql\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

test('the documents of the page are answered', async ({ api }) => {
  expect(documents.length).toBeGreaterThan(1);
  const variables = { since: new Date(Date.now() - 86_400_000).toISOString() };
  for (const document of documents) {
    const [operation] = parse(document).definitions;
    const isGiven = operation?.kind === 'OperationDefinition' && (operation.variableDefinitions ?? []).length > 0;
    const { data, errors } = await api.graphql(document, isGiven ? variables : {});
    expect(errors).toBeUndefined();
    expect(data).toBeTruthy();
  }
});
