import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';

const page = await readFile(new URL('../../../docs/customers.md', import.meta.url), 'utf8');
const blockAfter = (start: RegExp): string => start.exec(page)?.[1] ?? '';

test('the organization of the page is created in the graph and read over REST as shown', async ({ ownApi: api }) => {
  const key = await api.apiKey(['customers:read', 'customers:write']);
  const made = await api.graphql(blockAfter(/^```graphql\n([^]*?)^```$/m), {}, { apiKey: key });
  expect(made).toMatchObject({ data: { upsertOrganization: { organization: {} } } });
  const calls = [...page.matchAll(/^```http\nGET \/v1(\S+)\n```\n\n```json (\d+)\n([^]*?)^```$/gm)];
  expect(calls.length).toBe(2);
  for (const [, path = '', status, said = ''] of calls) {
    const { body, ...answer } = await callPlatform(api, 'GET', path, { key });
    expect([path, answer.status]).toEqual([path, Number(status)]);
    expect(body).toMatchObject(JSON.parse(said) as object);
  }
  const { query } = JSON.parse(blockAfter(/^ {2}-d '(.*)'$/m)) as { query: string };
  const answer = JSON.parse(blockAfter(/^```json answer\n([^]*?)^```$/m)) as object;
  expect(await api.graphql(query, {}, { apiKey: key })).toMatchObject(answer);
});
