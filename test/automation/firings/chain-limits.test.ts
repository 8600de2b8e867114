import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect } from 'vitest';
import { boundChains, type ChainLimits, chainLimits, tooMany } from '#src/automation/firings/chain-limits.service.ts';
import { eventTriggers } from '#src/automation/firings/event-firing.service.ts';
import { sweepChains } from '#src/automation/firings/event-firing.store.ts';
import type { Firing } from '#src/automation/firings/firings.service.ts';
import { createTrigger } from '#src/automation/triggers/triggers.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';
import { startOutboxRelay } from '#workers/relay/outbox-relay.ts';

const limits: ChainLimits = { firings: 60, kept: 7 };

let api: TestApp;
let relay: { stop(): Promise<void> };
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await startEngine();
  relay = await startOutboxRelay(api.deps, [eventTriggers(api.deps, limits)]);
});
afterAll(async () => {
  await relay.stop();
});

let tenants = 0;
async function newTenant(): Promise<string> {
  const id = `tenant-${(tenants += 1)}`;
  await api.database.global.tenant.create({ data: { id, orgId: 'acme', name: id } });
  return id;
}

const emit = (id: string, topic: string) => node(id, 'emit-event', { topic });

/** A workflow that waits for the topics. */
async function listener(tenantId: string, topics: string[], nodes: object[]): Promise<number> {
  const { workflowId } = await readyWorkflow(api, { nodes }, { tenantId, type: 'manual' });
  await createTrigger(api.deps, systemActor('acme', tenantId), BigInt(workflowId), {
    type: 'event',
    name: 'Hears',
    config: { topics },
  });
  return workflowId;
}

/** Waits until no event of the tenant is unread and no run of it is open. */
async function quiet(tenantId: string): Promise<void> {
  for (const deadline = Date.now() + 40_000; ; await delay(20)) {
    const { rowCount } = await api.database.system.query(
      `SELECT FROM outbox_events WHERE tenant_id = $1
         AND (xid, id) > (SELECT xid, id FROM outbox_cursors WHERE consumer = 'event-triggers')
       UNION ALL SELECT FROM runs WHERE tenant_id = $1 AND completed_at IS NULL`,
      [tenantId],
    );
    if (rowCount === 0) return;
    if (Date.now() > deadline) throw new Error('The chain does not come to an end.');
  }
}

const findRuns = async (tenantId: string) =>
  (
    await api.database.system.query<{ id: number; depth: number; root: number | null }>(
      `SELECT id, depth, root_run_id AS root FROM runs WHERE tenant_id = $1 ORDER BY id`,
      [tenantId],
    )
  ).rows;

const countReasons = async (tenantId: string) =>
  (
    await api.database.system.query<{ reason: string; number: number }>(
      'SELECT reason, count(*) AS number FROM dead_letters WHERE tenant_id = $1 GROUP BY reason',
      [tenantId],
    )
  ).rows;

describe('workflows that start one another by events', () => {
  test('stop at the limit of a chain, and leave dead letters with the reason', async () => {
    const tenantId = await newTenant();
    for (let n = 0; n < 2; n++) await listener(tenantId, ['spread'], [emit('a', 'spread'), emit('b', 'spread')]);
    const source = await readyWorkflow(api, { nodes: [emit('a', 'spread')] }, { tenantId });
    const first = await fireRun(api, source);
    await quiet(tenantId);
    const [root, ...runs] = await findRuns(tenantId);
    expect(root).toEqual({ id: first, depth: 0, root: null });
    expect(runs).toHaveLength(limits.firings);
    expect(new Set(runs.map((run) => run.root))).toEqual(new Set([first]));
    expect(await countReasons(tenantId)).toEqual([{ reason: tooMany(limits), number: limits.kept }]);
    expect(api.logLines.some((line) => line.includes('goes on past its limit') && line.includes(tenantId))).toBe(true);

    // Another chain of the tenant is counted by itself.
    await fireRun(api, source);
    await quiet(tenantId);
    expect(await findRuns(tenantId)).toHaveLength(2 * (1 + limits.firings));
  });

  test('are also bounded when one level fans out widely', async () => {
    const tenantId = await newTenant();
    await listener(tenantId, ['line'], [node('a', 'set', { values: {} })]);
    const items = Array.from({ length: limits.firings + 20 }, (_, n) => n);
    const each = { items, body: { nodes: [emit('tell', 'line')], edges: [] } };
    await fireRun(api, await readyWorkflow(api, { nodes: [node('each', 'for-each', each)] }, { tenantId }));
    await quiet(tenantId);
    expect(await findRuns(tenantId)).toHaveLength(1 + limits.firings);
    expect(await countReasons(tenantId)).toEqual([{ reason: tooMany(limits), number: limits.kept }]);
  });

  test('stay one chain through sub-workflows and error workflows', async () => {
    const tenantId = await newTenant();
    await listener(tenantId, ['third'], [node('a', 'set', { values: {} })]);
    const told = await readyWorkflow(api, { nodes: [emit('a', 'third')] }, { tenantId, type: 'manual' });
    const failing = {
      nodes: [node('a', 'fail', { message: 'No.' })],
      settings: { error_workflow_id: told.workflowId },
    };
    const failed = await readyWorkflow(api, failing, { tenantId, type: 'manual' });
    const call = { workflow_id: failed.workflowId, wait: false };
    await listener(tenantId, ['second'], [node('call', 'sub-workflow', call)]);
    const first = await fireRun(api, await readyWorkflow(api, { nodes: [emit('a', 'second')] }, { tenantId }));
    await quiet(tenantId);
    expect((await findRuns(tenantId)).map(({ depth, root }) => [depth, root])).toEqual([
      [0, null],
      [1, first],
      [2, first],
      [3, first],
      [4, first],
    ]);
  });

  test('start a new chain with the replay of a refused firing', async () => {
    const tenantId = await newTenant();
    await listener(tenantId, ['line'], [node('a', 'set', { values: {} })]);
    const items = Array.from({ length: limits.firings + 1 }, (_, n) => n);
    const each = { items, body: { nodes: [emit('tell', 'line')], edges: [] } };
    await fireRun(api, await readyWorkflow(api, { nodes: [node('each', 'for-each', each)] }, { tenantId }));
    await quiet(tenantId);
    const { data } = await api.graphql<{ replayDeadLetter: { run: { databaseId: number } } }>(
      `mutation ($id: ID!) { replayDeadLetter(input: { id: $id }) { ... on ReplayDeadLetterPayload { run { databaseId } } } }`,
      {
        id: (await api.database.system.query('SELECT id FROM dead_letters WHERE tenant_id = $1', [tenantId])).rows[0]
          .id,
      },
      { tenant: tenantId },
    );
    const { databaseId } = data.replayDeadLetter.run;
    await untilRun(api, databaseId, 'succeeded');
    expect((await findRuns(tenantId)).at(-1)).toEqual({ id: databaseId, depth: 0, root: null });
  });
});

describe('the slots of a chain', () => {
  const firing = (rootRunId: number): Firing => ({
    actor: systemActor('acme', 'acme-shop'),
    handle: '',
    type: 'event',
    payload: null,
    capture: true,
    depth: 1,
    rootRunId,
  });
  let roots = 1_000_000;

  test('are each assigned once, however the firings are batched', async () => {
    const sizes = fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { minLength: 1, maxLength: 6 });
    const bounds = fc.record({ firings: fc.nat(20), kept: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(sizes, bounds, async (batches, small) => {
        const [one, two] = [(roots += 1), (roots += 1)];
        const all: Firing[] = [];
        const lost = new Map([one, two].map((root) => [root, 0]));
        for (const [ones, twos] of batches) {
          const batch = [...Array.from({ length: ones }, () => one), ...Array.from({ length: twos }, () => two)];
          const { firings, overrun } = await api.database.withSystem((client) =>
            boundChains(client, batch.map(firing), small),
          );
          all.push(...firings);
          for (const { rootRunId, dropped } of overrun) lost.set(rootRunId, (lost.get(rootRunId) ?? 0) + dropped);
        }
        for (const [index, root] of [one, two].entries()) {
          const asked = batches.reduce((sum, batch) => sum + (batch[index] as number), 0);
          const mine = all.filter(({ rootRunId }) => rootRunId === root);
          const free = mine.filter(({ refusal }) => refusal === undefined).length;
          expect(free).toBe(Math.min(asked, small.firings));
          expect(mine.length - free).toBe(Math.min(asked - free, small.kept));
          expect(lost.get(root)).toBe(asked - mine.length);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('are enough for the widest loop at each of ten levels', () => {
    expect(chainLimits).toEqual({ firings: 100_000, kept: 1_000 });
  });

  test('are deleted a week after the chain began', async () => {
    const root = (roots += 1);
    const count = async () =>
      (await api.database.system.query('SELECT FROM event_chains WHERE root_run_id = $1', [root])).rowCount;
    await api.database.withSystem((client) => boundChains(client, [firing(root)], limits));
    expect(await sweepChains(api.database.system)).toBe(false);
    expect(await count()).toBe(1);
    await api.database.system.query(
      `UPDATE event_chains SET created_at = now() - interval '8 days' WHERE root_run_id = $1`,
      [root],
    );
    await sweepChains(api.database.system);
    expect(await count()).toBe(0);
  });
});
