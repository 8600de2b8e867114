import { readFile } from 'node:fs/promises';
import { parse } from 'graphql';
import { expect } from 'vitest';
import { makeNeedy } from '#test/operations/attention/needy-rows.ts';
import { test } from '#test/setup/app-test.ts';
import { makeWorkflow } from '#test/setup/runs.ts';

const page = await readFile(new URL('../../../../docs/statistics.md', import.meta.url), 'utf8');
const documents = [...page.matchAll(/^```graphql\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

test('the documents of the page are answered', async ({ api }) => {
  expect(documents.length).toBeGreaterThan(1);
  const workflowId = await makeWorkflow(api.deps, 'acme-shop', 'Fired');
  const made = await api.graphql<{ createTrigger: { trigger: { id: string } } }>(
    `mutation ($id: ID!) { createTrigger(input: { workflowId: $id, type: WEBHOOK, name: "Hook" }) {
      ... on CreateTriggerPayload { trigger { id } } } }`,
    { id: workflowId },
  );
  const triggerId = made.data.createTrigger.trigger.id;
  const variables = { triggerId, since: new Date(Date.now() - 86_400_000).toISOString() };
  for (const document of documents) {
    const [operation] = parse(document).definitions;
    const isGiven = operation?.kind === 'OperationDefinition' && (operation.variableDefinitions ?? []).length > 0;
    const { data, errors } = await api.graphql(document, isGiven ? variables : {});
    expect(errors).toBeUndefined();
    expect(data).toBeTruthy();
  }
});

test('an empty list in a filter is no condition, and an empty list of kinds asks for nothing, as the page says', async ({
  api,
}) => {
  await makeNeedy(api, 'acme-shop');
  const { data, errors } = await api.graphql<Record<string, unknown>>(
    `{ all: runSummary { total } empty: runSummary(filter: { status: [] }) { total }
       letters: deadLetters { edges { node { id } } } emptyLetters: deadLetters(filter: { status: [] }) { edges { node { id } } }
       groups: errorGroups { edges { node { id } } } emptyGroups: errorGroups(filter: { status: [] }) { edges { node { id } } }
       credentials { edges { node { id } } } emptyCredentials: credentials(filter: { status: [] }) { edges { node { id } } }
       orders { edges { node { id } } } emptyOrders: orders(filter: { status: [] }) { edges { node { id } } }
       attention { message } emptyAttention: attention(kinds: []) { message } }`,
  );
  expect(errors).toBeUndefined();
  for (const [given, empty] of [
    ['all', 'empty'],
    ['letters', 'emptyLetters'],
    ['groups', 'emptyGroups'],
    ['credentials', 'emptyCredentials'],
    ['orders', 'emptyOrders'],
  ] as const)
    expect(data[empty]).toEqual(data[given]);
  expect((data['attention'] as unknown[]).length).toBeGreaterThan(5);
  expect(data['letters']).not.toEqual({ edges: [] });
  expect(data['emptyAttention']).toEqual([]);
});
