import { describe, expect } from 'vitest';
import { readId } from '#src/infra/inputs.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { makeOwned } from './owned-objects.ts';

let api: TestApp;
let owned: Record<string, string>;
const id = (type: string): string => owned[type] as string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  owned = await makeOwned(api);
  await api.database.withTenantSql('acme-shop', async (tx) => {
    const [trigger, run, order, organization] = (['Trigger', 'Run', 'Order', 'Organization'] as const).map((type) =>
      readId(type, id(type)),
    );
    await tx.query(`UPDATE runs SET trigger_id = $1 WHERE tenant_id = 'acme-shop' AND id = $2`, [trigger, run]);
    await tx.query(
      `UPDATE orders SET number = 4711, erp_number = 'ERP-99', customer_order_number = 'Their 5', external_key = 'shop/1',
         organization_id = $2, placed_at = '2026-03-01T00:00:00Z' WHERE tenant_id = 'acme-shop' AND id = $1`,
      [order, organization],
    );
  });
});

/** How many rows of a list are within a filter, by its total and by its page. */
async function count(list: string, filter: object): Promise<number> {
  const types: Record<string, string> = {
    triggers: 'TriggerFilter',
    runs: 'RunFilter',
    deadLetters: 'DeadLetterFilter',
    orders: 'OrderFilter',
    webhookDeliveries: 'WebhookDeliveryFilter',
    webhookDestinations: 'WebhookDestinationFilter',
    bulkJobs: 'BulkJobFilter',
    apiKeys: 'ApiKeyFilter',
  };
  const { data, errors } = await api.graphql<Record<string, { totalCount: number; edges: unknown[] }>>(
    `query ($filter: ${types[list]}) { ${list}(filter: $filter, first: 50) { totalCount edges { node { id } } } }`,
    { filter },
  );
  expect(errors).toBeUndefined();
  expect(data[list]?.edges).toHaveLength(data[list]?.totalCount as number);
  return data[list]?.totalCount as number;
}

const nobody = { Trigger: btoa('Trigger:999999'), Workflow: btoa('Workflow:999999') };

test('triggers of all workflows are listed with theirs, by type, state, workflow and text, in an order', async () => {
  expect(await count('triggers', {})).toBe(2);
  expect(await count('triggers', { type: ['WEBHOOK'] })).toBe(1);
  expect(await count('triggers', { type: ['WEBHOOK', 'SCHEDULE'] })).toBe(2);
  expect(await count('triggers', { active: false })).toBe(0);
  expect(await count('triggers', { workflowId: id('Workflow') })).toBe(2);
  expect(await count('triggers', { workflowId: nobody.Workflow })).toBe(0);
  expect(await count('triggers', { search: 'hoo' })).toBe(1);
  expect(await count('triggers', { search: 'privat' })).toBe(2);
  expect(await count('triggers', { search: id('handle').slice(0, 13) })).toBe(1);
  expect(await count('triggers', { search: '%' })).toBe(0);
  const { data } = await api.graphql<{ triggers: { edges: { node: { name: string } }[] } }>(
    '{ triggers(first: 2, orderBy: { field: NAME, direction: DESC }) { edges { node { name workflow { name } } } } }',
  );
  expect(data).toMatchObject({ triggers: { edges: [{ node: { workflow: { name: 'Private' } } }, {}] } });
  const { edges } = data.triggers;
  expect(edges.map(({ node }) => node.name)).toEqual(
    edges
      .map(({ node }) => node.name)
      .toSorted()
      .toReversed(),
  );
});

test('triggers of a deleted workflow are not listed', async () => {
  const made = await api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
    'mutation { createWorkflow(input: { name: "Short-lived" }) { ... on CreateWorkflowPayload { workflow { id } } } }',
  );
  const { id: workflowId } = made.data.createWorkflow.workflow;
  await api.graphql(
    'mutation ($id: ID!) { createTrigger(input: { workflowId: $id, type: EVENT, name: "Gone", config: { topics: ["*"] } }) { __typename } }',
    { id: workflowId },
  );
  expect(await count('triggers', { search: 'Gone' })).toBe(1);
  await api.graphql('mutation ($id: ID!) { deleteWorkflow(input: { id: $id }) { __typename } }', { id: workflowId });
  expect(await count('triggers', { search: 'Gone' })).toBe(0);
});

test('runs and dead letters are found by their trigger, dead letters also by text', async () => {
  expect(await count('runs', { triggerId: id('Trigger') })).toBe(1);
  expect(await count('runs', { triggerId: nobody.Trigger })).toBe(0);
  expect(await count('deadLetters', { triggerId: id('Trigger') })).toBe(1);
  expect(await count('deadLetters', { triggerId: nobody.Trigger })).toBe(0);
  expect(await count('deadLetters', { search: 'PRIVATE' })).toBe(1);
  expect(await count('deadLetters', { search: 'no such text' })).toBe(0);
  expect(await count('deadLetters', { search: '_rivate' })).toBe(0);
  const dryRun = `mutation ($filter: DeadLetterFilter) { discardDeadLetters(input: { filter: $filter, dryRun: true }) {
    ... on DiscardDeadLettersPayload { count } } }`;
  const discards = async (filter: object) => (await api.graphql(dryRun, { filter })).data['discardDeadLetters'];
  expect(await discards({ triggerId: id('Trigger'), search: 'private' })).toEqual({ count: 1 });
  expect(await discards({ triggerId: nobody.Trigger })).toEqual({ count: 0 });
  expect(await discards({ search: 'no such text' })).toEqual({ count: 0 });
});

describe('orders', () => {
  test.each([
    ['47', 1],
    ['#4711', 1],
    ['4712', 0],
    ['erp-9', 1],
    ['P-9', 0],
    ['their', 1],
    ['shop/1', 1],
    ['shop/', 0],
    ['priv', 1],
    [' RIVAT ', 1],
    ['nobody', 0],
    ['%', 0],
    [' ', 1],
  ])('are searched by numbers, keys and customers: %j', async (search, found) => {
    expect(await count('orders', { search })).toBe(found);
  });

  test('are listed by when they were placed, and by the organization', async () => {
    expect(await count('orders', { placedSince: '2026-03-01T00:00:00Z', placedUntil: '2026-03-02T00:00:00Z' })).toBe(1);
    expect(await count('orders', { placedUntil: '2026-03-01T00:00:00Z' })).toBe(0);
    expect(await count('orders', { placedSince: '2026-03-01T00:00:00.001Z' })).toBe(0);
    expect(await count('orders', { organizationId: id('Organization') })).toBe(1);
    expect(await count('orders', { organizationId: btoa('Organization:999999') })).toBe(0);
  });
});

test('deliveries are listed by several states, one given alone, and until an instant', async () => {
  const { data } = await api.graphql<{ webhookDelivery: { status: string; createdAt: string } }>(
    'query ($id: ID!) { webhookDelivery(id: $id) { status createdAt } }',
    { id: id('WebhookDelivery') },
  );
  const { status, createdAt } = data.webhookDelivery;
  const others = ['PENDING', 'DELIVERED', 'FAILED', 'HELD'].filter((other) => other !== status);
  expect(await count('webhookDeliveries', { status })).toBe(1);
  for (const other of others) expect(await count('webhookDeliveries', { status: [status, other] })).toBe(1);
  expect(await count('webhookDeliveries', { status: others })).toBe(0);
  expect(await count('webhookDeliveries', { status: [] })).toBe(1);
  expect(await count('webhookDeliveries', { until: createdAt })).toBe(0);
  expect(await count('webhookDeliveries', { since: createdAt, until: '2100-01-01T00:00:00Z' })).toBe(1);
});

test('destinations, bulk jobs and API keys are narrowed', async () => {
  expect(await count('webhookDestinations', { search: 'EXAMPLE.com', status: 'ENABLED' })).toBe(1);
  expect(await count('webhookDestinations', { status: 'DISABLED' })).toBe(0);
  expect(await count('webhookDestinations', { search: 'nothing' })).toBe(0);
  expect(await count('bulkJobs', { target: 'stock', kind: 'IMPORT', status: ['QUEUED', 'RUNNING'] })).toBe(1);
  expect(await count('bulkJobs', { target: 'products' })).toBe(0);
  expect(await count('bulkJobs', { kind: 'EXPORT' })).toBe(0);
  expect(await count('bulkJobs', { status: ['COMPLETED'] })).toBe(0);
  expect(await count('apiKeys', { search: 'vat' })).toBe(1);
  expect(await count('apiKeys', { search: 'nothing' })).toBe(0);
});

test.each(['triggers', 'orders', 'deadLetters', 'apiKeys', 'webhookDestinations'])(
  '%s refuse a search that is too long',
  async (list) => {
    const { errors } = await api.graphql(
      `{ ${list}(filter: { search: "${'x'.repeat(192)}" }) { edges { node { id } } } }`,
    );
    expect(errors?.[0]?.extensions?.['code']).toBe('VALIDATION_FAILED');
  },
);
