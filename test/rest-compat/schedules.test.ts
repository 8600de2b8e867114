import { expect } from 'vitest';
import { claimTicks } from '#src/automation/schedules/schedule-claims.service.ts';
import { schedulesPerTenant } from '#src/automation/triggers/triggers.service.ts';
import { leapDays, type Made, makeSchedule, moveNextTick, thisSecond } from '#test/automation/schedules/schedules.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { call } from './rest.ts';

let api: TestApp;
let never: Made;
let fired: Made;
test.beforeAll(async ({ api: started }) => {
  api = started;
  never = await makeSchedule(api, { cron: '0 9 1 1 *', timezone: 'Europe/Berlin' });
  fired = await makeSchedule(api, { cron: leapDays });
  await moveNextTick(api, fired, await thisSecond(api));
  await claimTicks(api.deps, 10);
});

interface Row {
  trigger_id: number;
  last_run_id: number | null;
}
const rows = async (as = {}) => (await call(api, 'GET', '/schedules', { as })).body['data'] as unknown as Row[];

test('lists every schedule, newest first, with its next tick and its last firing', async () => {
  const answer = await call(api, 'GET', '/schedules', { as: { roles: ['user'] } });
  expect(answer.status).toBe(200);
  const [first] = answer.body['data'] as unknown as Row[];
  expect(answer.body).toEqual({
    data: [
      {
        trigger_id: fired.triggerId,
        trigger_handle: fired.handle,
        workflow_id: fired.workflowId,
        workflow_name: expect.stringContaining('Workflow'),
        cron: leapDays,
        timezone: 'UTC',
        active: true,
        next_fire_at: expect.stringMatching(/-02-29T00:00:00\.000Z$/),
        last_fired_at: expect.stringMatching(/Z$/),
        last_run_id: expect.any(Number),
        last_run_status: 'queued',
      },
      {
        trigger_id: never.triggerId,
        trigger_handle: never.handle,
        workflow_id: never.workflowId,
        workflow_name: expect.stringContaining('Workflow'),
        cron: '0 9 1 1 *',
        timezone: 'Europe/Berlin',
        active: true,
        next_fire_at: expect.stringMatching(/-01-01T08:00:00\.000Z$/),
        last_fired_at: null,
        last_run_id: null,
        last_run_status: null,
      },
    ],
  });
  const run = await call(api, 'GET', `/workflows/${fired.workflowId}/runs/${first?.last_run_id}`);
  expect(run.body).toMatchObject({ trigger_type: 'schedule', trigger_handle: fired.handle });
});

test('follows a trigger that is switched off and on through the API', async () => {
  const made = await makeSchedule(api, { cron: '0 * * * *' });
  const path = `/workflows/${made.workflowId}/triggers/${made.triggerId}`;
  const find = async () => (await rows()).find(({ trigger_id: id }) => id === made.triggerId);
  await call(api, 'PATCH', path, { body: { active: false } });
  expect(await find()).toMatchObject({ active: false, next_fire_at: null });
  await call(api, 'PATCH', path, { body: { active: true, config: { cron: '30 6 * * *', timezone: 'Asia/Kolkata' } } });
  expect(await find()).toMatchObject({
    active: true,
    cron: '30 6 * * *',
    next_fire_at: expect.stringContaining('T01:00'),
  });
  await call(api, 'DELETE', path);
  expect(await find()).toBeUndefined();
});

test('shows a tenant only its own', async () => {
  expect(await rows({ tenant: 'acme-outlet' })).toEqual([]);
});

test('shows more than a page of the graph', async () => {
  await api.database.withSystem(async (client) => {
    await client.query('SET LOCAL ROLE NONE');
    await client.query(
      `WITH w AS (INSERT INTO workflows (tenant_id, name, blob, updated_at)
         SELECT 'acme-outlet', 'Many ' || n, '{}', now() FROM generate_series(1, 150) AS n RETURNING tenant_id, id),
       t AS (INSERT INTO triggers (tenant_id, workflow_id, type, name, updated_at)
         SELECT tenant_id, id, 'schedule', 'On time', now() FROM w RETURNING tenant_id, id, workflow_id)
       INSERT INTO schedules (tenant_id, trigger_id, workflow_id, cron, timezone, misfire, active)
       SELECT tenant_id, id, workflow_id, '@daily', 'UTC', 'skip', false FROM t`,
    );
  });
  const all = await rows({ tenant: 'acme-outlet' });
  expect(all).toHaveLength(150);
  const { data, errors } = await api.graphql<{
    schedules: { totalCount: number; edges: { node: { triggerId: number } }[]; pageInfo: { endCursor: string } };
  }>(
    '{ schedules(first: 100) { totalCount edges { node { triggerId } } pageInfo { endCursor } } }',
    {},
    { tenant: 'acme-outlet' },
  );
  expect(errors).toBeUndefined();
  expect(data.schedules).toMatchObject({ totalCount: 150 });
  const next = await api.graphql<{ schedules: { edges: { node: { triggerId: number } }[] } }>(
    'query ($after: String) { schedules(first: 100, after: $after) { edges { node { triggerId } } } }',
    { after: data.schedules.pageInfo.endCursor },
    { tenant: 'acme-outlet' },
  );
  const paged = [...data.schedules.edges, ...next.data.schedules.edges].map(({ node }) => node.triggerId);
  expect(paged).toEqual(all.map(({ trigger_id: id }) => id));
});

test('shows a schedule with its trigger in the graph', async () => {
  const { data } = await api.graphql(
    'query ($id: ID!) { trigger(id: $id) { schedule { cron nextFireAt lastFiredAt lastRun { status triggerType } } } }',
    { id: String(fired.triggerId) },
  );
  expect(data).toMatchObject({
    trigger: { schedule: { cron: leapDays, lastRun: { status: 'QUEUED', triggerType: 'SCHEDULE' } } },
  });
});

const tenant = 'acme-outlet';

/** Inactive schedules of one workflow, straight into the tables. */
async function addSchedules(number: number): Promise<void> {
  await api.database.withSystem(async (client) => {
    await client.query('SET LOCAL ROLE NONE');
    await client.query(
      `WITH w AS (INSERT INTO workflows (tenant_id, name, blob, updated_at)
         VALUES ($1, gen_random_uuid(), '{}', now()) RETURNING tenant_id, id),
       t AS (INSERT INTO triggers (tenant_id, workflow_id, type, name, updated_at)
         SELECT tenant_id, id, 'schedule', 'On time', now() FROM w, generate_series(1, $2::int)
         RETURNING tenant_id, id, workflow_id)
       INSERT INTO schedules (tenant_id, trigger_id, workflow_id, cron, timezone, misfire, active)
       SELECT tenant_id, id, workflow_id, '@daily', 'UTC', 'skip', false FROM t`,
      [tenant, number],
    );
  });
}

test('lists all of more than a thousand', async () => {
  const before = (await rows({ tenant })).length;
  await addSchedules(1_050);
  const ids = (await rows({ tenant })).map(({ trigger_id: id }) => id);
  expect(ids).toHaveLength(before + 1_050);
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a));
});

test('allows at most 10,000 in a tenant, and refuses the creation of another', async () => {
  const as = { tenant };
  const { body: workflow } = await call(api, 'POST', '/workflows', { as, body: { name: 'Many schedules' } });
  const path = `/workflows/${workflow['id']}/triggers`;
  const present = await api.database.reader(tenant).schedule.count({ where: { tenantId: tenant } });
  await addSchedules(schedulesPerTenant - 1 - present);
  const schedule = { type: 'schedule', name: 'One more', config: { cron: '@daily' } };
  const last = await call(api, 'POST', path, { as, body: schedule });
  expect(last.status).toBe(201);
  const over = { status: 422, body: { errors: { type: ['A tenant has at most 10000 schedule triggers.'] } } };
  expect(await call(api, 'POST', path, { as, body: schedule })).toMatchObject(over);
  const { body: manual } = await call(api, 'POST', path, { as, body: { type: 'manual', name: 'By hand' } });
  expect(await call(api, 'PATCH', `${path}/${manual['id']}`, { as, body: schedule })).toMatchObject(over);
  expect(await call(api, 'PATCH', `${path}/${last.body['id']}`, { as, body: { name: 'Renamed' } })).toMatchObject({
    status: 200,
  });
});
