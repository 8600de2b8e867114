import { afterAll, expect, vi } from 'vitest';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { createTrigger } from '#src/automation/triggers/triggers.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { createWorkflow, updateWorkflow } from '#src/automation/workflows/workflows.service.ts';
import { collectDeclarations } from '#src/domains/declarations.ts';
import { domains } from '#src/domains/domains.ts';
import { systemActor } from '#src/infra/deps.ts';
import { type Jobs, startJobs } from '#src/infra/jobs.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { test as appTest } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { readRun, untilRun } from '#test/setup/engine.ts';
import { registerHandlers } from '#workers/register.ts';
import { startOutboxRelay } from '#workers/relay/outbox-relay.ts';
import { demoShop } from './demo-shop.ts';

// Outside of its own folder, a domain needs only its entry in the list of domains, and the lock of the schema.
const all = [...domains, demoShop];

const test = appTest.extend('appOptions', { scope: 'file' }, { domains: all });

let api: TestApp;
let jobs: Jobs;
let relay: { stop(): Promise<void> };
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await migrate(api.databaseUrl, collectDeclarations(all).jobs);
  await registerBuiltinPackages(api.deps);
  jobs = await startJobs({
    database: api.database,
    maintain: { url: api.databaseUrl },
    onError: () => undefined,
  });
  await registerHandlers({ ...api.services, deps: { ...api.deps, jobs } }, demoShop.handlers ?? []);
  await startEngine();
  relay = await startOutboxRelay(api.deps, api.services.consumers);
});
afterAll(async () => {
  await relay.stop();
  await jobs.stop();
});

const place = (number: string) =>
  api.graphql<{ placeDemoOrder: { number: string } }>(
    'mutation ($number: String!) { placeDemoOrder(number: $number, total: 12.5) { number total } }',
    { number },
  );

test('an added domain answers in the graph, within its tenant', async () => {
  expect(await place('A-1')).toEqual({ data: { placeDemoOrder: { number: 'A-1', total: 12.5 } } });
  const orders = '{ demoOrders { number } }';
  expect((await api.graphql(orders)).data).toEqual({ demoOrders: [{ number: 'A-1' }] });
  expect((await api.graphql(orders, {}, { tenant: 'acme-outlet' })).data).toEqual({ demoOrders: [] });
});

test('an added domain has a REST route, within its tenant and its roles', async () => {
  await place('R-1');
  const list = async (as: object) =>
    api.app.inject({
      url: '/api/v1/demo-orders',
      headers: { authorization: `Bearer ${await api.token(as)}`, 'x-tenant-id': 'acme-shop' },
    });
  const found = await list({});
  expect([found.statusCode, found.json()]).toEqual([
    200,
    { data: expect.arrayContaining([{ number: 'R-1', total: 12.5 }]) },
  ]);
  expect((await list({ roles: ['nobody'] })).statusCode).toBe(403);
});

test('an added domain writes to the audit log', async () => {
  await place('A-2');
  const { data } = await api.graphql<{ auditLog: { edges: { node: object }[] } }>(
    '{ auditLog(filter: { resourceType: "demo_order" }) { edges { node { action resourceId actorSub } } } }',
  );
  expect(data.auditLog.edges[0]?.node).toEqual({ action: 'create', resourceId: 'A-2', actorSub: 'test-admin' });
});

test('an added domain runs its jobs', async () => {
  await place('A-3');
  await vi.waitFor(() => expect(api.services.demoShop.confirmed).toContain('A-3'), 60_000);
});

test('an event of an added domain starts a workflow, which runs a node of the domain', async () => {
  const actor = systemActor('acme', 'acme-shop');
  const { id } = await createWorkflow(api.deps, actor, {
    name: 'Greets',
    blob: {
      version: 'v1',
      nodes: [
        {
          id: 'greet',
          node: 'demo-shop:greet',
          version: '^1.0.0',
          config: { number: '{{ trigger.payload.data.number }}' },
        },
      ],
      edges: [],
    },
  });
  await createTrigger(api.deps, actor, id, {
    type: 'event',
    name: 'Placed',
    config: { topics: ['demo-order.placed'] },
  });
  await updateWorkflow(api.deps, actor, id, { active: true });
  await buildWorkflow(api.deps, { tenantId: actor.tenantId, workflowId: Number(id) });
  await place('A-4');
  const runId = await vi.waitFor(async () => {
    // The relay may still come to events of the tests above, which then fire the trigger as well.
    const { rows } = await api.database.system.query<{ id: number }>(
      `SELECT r.id FROM runs r JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id
       WHERE r.workflow_id = $1 AND p.payload -> 'data' ->> 'number' = 'A-4'`,
      [id],
    );
    if (!rows[0]) throw new Error('No run was started.');
    return rows[0].id;
  }, 60_000);
  await untilRun(api, runId, 'succeeded');
  const { steps } = await readRun(api, runId);
  expect(steps).toMatchObject([{ path: 'greet', outputs: { text: 'Order A-4 of acme-shop' } }]);
});

test('two domains that declare the same name are refused at the start', () => {
  expect(() => collectDeclarations([...all, { ...demoShop, name: 'again' }])).toThrow(
    "demo-shop.order.confirm is declared twice among the domains' jobs.",
  );
});
