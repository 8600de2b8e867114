import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect } from 'vitest';
import { upsertOrganization } from '#test/commerce/customers.ts';
import { createShop } from '#test/commerce/shop.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, node, readyWorkflow } from '#test/setup/engine.ts';

let api: TestApp;
let { mutate, place, stocked, findTopics } = {} as ReturnType<typeof createShop>;
let organization: { id: string; databaseId: number };
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  ({ mutate, place, stocked, findTopics } = createShop(api));
  await startEngine();
  await stocked('CREDIT', '1000');
  organization = await upsertOrganization(api, { customerNumber: 'C-1', name: 'Bauer KG' });
});

/** A workflow that is asked by hand, as credit workflows are. */
const workflow = async (...nodes: { id: string }[]): Promise<number> =>
  (await readyWorkflow(api, { nodes, edges: chain(...nodes.map(({ id }) => id)) }, { type: 'manual' })).workflowId;
const answering = (value: unknown) => workflow(node('answer', 'respond', { value }));
const waiting = () => workflow(node('wait', 'wait', { duration_ms: 600_000 }));

async function ask(creditWorkflowId: number | null, creditFallback = 'HOLD', creditTimeoutMs = 20_000): Promise<void> {
  const given = {
    creditWorkflowId: creditWorkflowId === null ? null : String(creditWorkflowId),
    creditFallback,
    creditTimeoutMs,
  };
  const settings = await mutate('updateCommerceSettings', given, 'commerceSettings { creditFallback }');
  expect(settings).toMatchObject({ commerceSettings: { creditFallback } });
}

/** Places an order of 23.80 gross; answers why it is held, null where it is not, or the code of its refusal. */
async function placed(more: object = {}): Promise<string | null> {
  const positions = [{ sku: 'CREDIT', quantity: '2', unitPrice: '10.00' }];
  const { order, code } = await place({ organizationId: organization.id, positions, ...more });
  return code ?? (order as unknown as { holdReason: string | null }).holdReason;
}

const findRuns = async (workflowId: number) => {
  const { rows } = await api.database.system.query<{ payload: object }>(
    `SELECT p.payload FROM runs r JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id WHERE r.workflow_id = $1`,
    [workflowId],
  );
  return rows.map(({ payload }) => payload);
};

describe('an order of 23.80 by an organization', () => {
  test.for<[object, string | null]>([
    [{ limit: '100', used: '76.20', blocked: false }, null],
    [{ limit: 100, used: 76.2 }, null],
    [{ limit: '100', used: '76.2001', blocked: false }, 'CREDIT'],
    [{ limit: 0 }, 'CREDIT'],
    [{ limit: null, used: '999999', blocked: false }, null],
    [{ limit: '1000', used: '0', blocked: true }, 'CREDIT'],
    [{ blocked: false }, null],
  ])('whose credit workflow answers %o, is held for: %s', async ([answer, reason]) => {
    await ask(await answering(answer), 'REFUSE');
    expect(await placed()).toBe(reason);
  });

  test('is passed to the workflow, and transmitted when an admin releases it', async () => {
    const workflowId = await answering({ blocked: true });
    await ask(workflowId);
    const positions = [{ sku: 'CREDIT', quantity: '2', unitPrice: '10.00' }];
    const { order } = await place({ organizationId: organization.id, positions });
    const { databaseId: id } = organization;
    expect(await findRuns(workflowId)).toEqual([
      { organization: { id, customer_number: 'C-1', name: 'Bauer KG' }, total: '23.80', currency: 'EUR' },
    ]);
    expect(await findTopics(order.databaseId)).toEqual([]);
    await mutate('releaseOrder', { id: order.id }, 'order { id }');
    expect(await findTopics(order.databaseId)).toEqual(['order.created']);
  });

  test('runs the workflow once for each external key, and never without an organization', async () => {
    const workflowId = await answering({ blocked: false });
    await ask(workflowId);
    for (let sent = 0; sent < 2; sent += 1) expect(await placed({ externalKey: 'credit-once' })).toBeNull();
    expect(await placed({ organizationId: null })).toBeNull();
    expect(await findRuns(workflowId)).toHaveLength(1);
  });
});

/** Workflows that say nothing of credit, and what becomes of one before it is asked. */
const silent: [string, () => Promise<number>, ((id: string) => Promise<unknown>)?][] = [
  ['fails', () => workflow(node('fail', 'fail', { message: 'The ERP is away.' }))],
  ['answers nothing', () => workflow(node('set', 'set', { values: {} }))],
  ['answers with malformed credit data', () => answering({ limit: 'a lot', blocked: 'perhaps' })],
  ['does not answer in time', waiting],
  ['was deleted', () => answering({ blocked: false }), (id) => mutate('deleteWorkflow', { id }, 'deletedId')],
  [
    'has no trigger to start it by hand',
    async () => (await readyWorkflow(api, { nodes: [node('answer', 'respond', { value: 1 })] })).workflowId,
  ],
];

describe('if the credit workflow', () => {
  test.for(silent)('%s, the fallback decides', async ([, make, then]) => {
    const id = await make();
    await ask(id, 'ALLOW', 1_000);
    await then?.(String(id));
    for (const [creditFallback, outcome] of [
      ['ALLOW', null],
      ['HOLD', 'CREDIT'],
      ['REFUSE', 'CONFLICT'],
    ] as const) {
      await mutate('updateCommerceSettings', { creditFallback }, 'commerceSettings { creditFallback }');
      expect([creditFallback, await placed()]).toEqual([creditFallback, outcome]);
    }
    expect(api.logLines.some((line) => line.includes('The credit workflow gave no answer'))).toBe(true);
  });

  test('is running, no transaction is open and nothing is reserved', async () => {
    await stocked('WAITED', '5');
    await ask(await waiting(), 'REFUSE', 3_000);
    const positions = [{ sku: 'WAITED', quantity: '1', unitPrice: '1' }];
    const waited = { isOver: false };
    const answer = place({ organizationId: organization.id, positions }).finally(() => (waited.isOver = true));
    // As the role that logs in, which sees the sessions of the app.
    const watcher = new pg.Client({ connectionString: api.databaseUrl });
    await watcher.connect();
    const longest: number[] = [];
    while (!waited.isOver) {
      const { rows } = await watcher.query<{ idle: number; ms: number }>(
        `SELECT count(*) FILTER (WHERE state = 'idle')::int AS idle, coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)
           FILTER (WHERE state = 'idle in transaction')) * 1000, 0)::float8 AS ms
         FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      expect(rows[0]?.idle).toBeGreaterThan(0);
      longest.push(rows[0]?.ms ?? 0);
      await delay(50);
    }
    await watcher.end();
    expect(await answer).toMatchObject({ code: 'CONFLICT' });
    expect(Math.max(...longest)).toBeLessThan(2_000);
    const { rows } = await api.database.system.query(
      `SELECT FROM stock_movements WHERE sku = 'WAITED' AND kind = 'reserve'`,
    );
    expect(rows).toEqual([]);
  });
});
