import { expect } from 'vitest';
import { fire } from '#src/automation/firings/firings.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { createShop } from '#test/commerce/shop.ts';
import { importFile, makeProfile } from '#test/imports/import-file.ts';
import { test } from '#test/setup/app-test.ts';
import { listUpdates } from '#test/setup/lists.ts';
import { connect, type RawClient, subscribe } from '#test/setup/live.ts';
import { makeWorkflow } from '#test/setup/runs.ts';

const tenant = 'acme-shop';

/** The changes of a row so far, without those that only say that the list is to be read. */
const changes = (client: RawClient, field: string, databaseId: number) =>
  listUpdates(client, field)
    .filter(({ node }) => node?.['databaseId'] === databaseId)
    .map(({ change, node }) => `${change} ${String(node?.['status'])}`);

/**
 * Repeats `make` until the list reports the row that it made: the list may begin again instead, because the row came before it was
 * followed.
 */
async function untilAdded(client: RawClient, field: string, make: () => Promise<number>): Promise<number> {
  const reloads = () => listUpdates(client, field).filter(({ change }) => change === 'RELOAD').length;
  for (;;) {
    const before = reloads();
    const id = await make();
    await client.until(() => changes(client, field, id).length > 0 || reloads() > before);
    if (changes(client, field, id).length > 0) return id;
  }
}

test('dead letters are followed from their capture until they are discarded', async ({ api, startBeside }) => {
  const there = await startBeside();
  const field = 'deadLettersUpdated';
  const workflowId = await makeWorkflow(api.deps, tenant, 'Captures');
  const { rows } = await api.database.system.query<{ handle: string }>(
    `INSERT INTO triggers (tenant_id, workflow_id, type, name) VALUES ($1, $2, 'webhook', 'Trigger') RETURNING handle`,
    [tenant, workflowId],
  );
  const client = await connect(api);
  const query = `subscription ($filter: DeadLetterFilter) { ${field}(filter: $filter) {
    change id node { databaseId status workflowName workflow { name } } } }`;
  subscribe(client, '1', query, { filter: { status: ['PENDING'], workflowId: String(workflowId) } });
  const firing = { actor: systemActor('acme', tenant), handle: rows[0]?.handle as string, type: 'webhook' as const };
  const id = await untilAdded(client, field, async () => {
    const fired = await fire(there.services.automation, { ...firing, payload: {}, capture: true, refusal: 'Not now.' });
    return fired.outcome === 'dead_letter' ? fired.deadLetterId : 0;
  });
  expect(listUpdates(client, field).at(-1)?.node).toMatchObject({
    workflowName: 'Captures',
    workflow: { name: 'Captures' },
  });
  const discard = 'mutation ($input: DiscardDeadLetterInput!) { discardDeadLetter(input: $input) { __typename } }';
  await there.graphql(discard, { input: { id: Buffer.from(`DeadLetter:${id}`).toString('base64') } });
  await client.until(() => changes(client, field, id).length === 2);
  expect(changes(client, field, id)).toEqual(['ADDED PENDING', 'REMOVED DISCARDED']);
  client.socket.close();
});

test('orders are followed from their placement, with their positions, within a filter', async ({ api }) => {
  const field = 'ordersUpdated';
  const { place, act, stocked } = createShop(api);
  await stocked('FOLLOWED', '100');
  const client = await connect(api);
  const query = `subscription ($filter: OrderFilter) { ${field}(filter: $filter) {
    change id node { databaseId status positions { sku } } } }`;
  subscribe(client, '1', query, { filter: { status: ['PENDING'] } });
  const id = await untilAdded(client, field, async () => {
    const { order } = await place({ positions: [{ sku: 'FOLLOWED', quantity: '1', unitPrice: '1' }] });
    return order.databaseId;
  });
  expect(listUpdates(client, field).at(-1)?.node).toMatchObject({ positions: [{ sku: 'FOLLOWED' }] });
  expect((await act(id, 'acknowledge', { erp_number: 'E-1' })).status).toBe(200);
  await client.until(() => changes(client, field, id).length === 2);
  expect(changes(client, field, id)).toEqual(['ADDED PENDING', 'REMOVED ACKNOWLEDGED']);
  client.socket.close();
});

test('imports are followed until they have ended', async ({ api }) => {
  const field = 'bulkJobsUpdated';
  await makeProfile(api, { name: 'followed', target: 'products' });
  const client = await connect(api);
  subscribe(client, '1', `subscription { ${field} { change id node { databaseId status rowsWritten } } }`);
  let n = 0;
  const id = await untilAdded(client, field, async () => {
    n += 1;
    return (await importFile(api, `sku,name\nF-${n},Followed ${n}\n`, 'followed')).id;
  });
  await client.until(() => changes(client, field, id).at(-1)?.endsWith('COMPLETED'));
  const [first, ...later] = changes(client, field, id);
  expect(first).toMatch(/^ADDED/);
  expect(later.every((change) => change.startsWith('CHANGED'))).toBe(true);
  client.socket.close();
});
