import { describe, expect } from 'vitest';
import { eventTriggersPerTenant } from '#src/automation/firings/firings.inputs.ts';
import { createTrigger, updateTrigger } from '#src/automation/triggers/triggers.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import type { FieldErrorList } from '#test/setup/field-errors.ts';

let api: TestApp;
let workflowId: string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  const made = await api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
    'mutation { createWorkflow(input: { name: "Orders to ERP" }) { ... on CreateWorkflowPayload { workflow { id } } } }',
  );
  workflowId = made.data.createWorkflow.workflow.id;
});

interface TriggerFields {
  id: string;
  handle: string;
  config: Record<string, unknown>;
  name: string;
}
interface Answer {
  __typename: string;
  trigger: TriggerFields;
  fields: FieldErrorList;
}

const trigger = '__typename ... on Error { code } ... on ValidationError { fields { path messages } }';
const selected = 'trigger { id handle type name active config workflowId workflow { name } }';
const create = `mutation ($input: CreateTriggerInput!) { createTrigger(input: $input) { ${trigger} ... on CreateTriggerPayload { ${selected} } } }`;
const update = `mutation ($input: UpdateTriggerInput!) { updateTrigger(input: $input) { ${trigger} ... on UpdateTriggerPayload { ${selected} } } }`;
const remove = `mutation ($input: DeleteTriggerInput!) { deleteTrigger(input: $input) { ${trigger} ... on DeleteTriggerPayload { deletedId } } }`;

async function make(input: object): Promise<Answer> {
  const { data, errors } = await api.graphql<{ createTrigger: Answer }>(create, {
    input: { workflowId, name: 'One', ...input },
  });
  expect(errors).toBeUndefined();
  return data.createTrigger;
}

async function change(input: object): Promise<Answer> {
  const { data, errors } = await api.graphql<{ updateTrigger: Answer }>(update, { input });
  expect(errors).toBeUndefined();
  return data.updateTrigger;
}

describe('triggers over GraphQL', () => {
  test('creates a trigger with a handle and lists it under its workflow', async () => {
    const made = await make({ type: 'MANUAL', name: 'By hand' });
    expect(made).toMatchObject({
      __typename: 'CreateTriggerPayload',
      trigger: { type: 'MANUAL', name: 'By hand', active: true, config: {}, workflow: { name: 'Orders to ERP' } },
    });
    expect(made.trigger.handle).toMatch(/^[0-9a-f-]{36}$/);
    const { data } = await api.graphql(
      'query ($w: ID!, $t: ID!) { workflow(id: $w) { triggers { id handle } } trigger(id: $t) { name } }',
      { w: workflowId, t: made.trigger.id },
    );
    expect(data).toMatchObject({
      workflow: { triggers: expect.arrayContaining([{ id: made.trigger.id, handle: made.trigger.handle }]) },
      trigger: { name: 'By hand' },
    });
  });

  test.each([
    [
      'webhook',
      { respond: 'on_finish', respond_timeout_ms: 5000, extra: 1 },
      { respond: 'on_finish', respond_timeout_ms: 5000 },
    ],
    ['webhook', undefined, { respond: 'immediate' }],
    ['event', { topic: 'order.created' }, { topics: ['order.created'] }],
    [
      'event',
      { topics: ['order.created'], filter: 'trigger.payload.total > 100' },
      { topics: ['order.created'], filter: 'trigger.payload.total > 100' },
    ],
    [
      'event',
      { topics: ['a.b', 'a.b'], filter: '{{ trigger.payload.ok }}' },
      { topics: ['a.b'], filter: '{{ trigger.payload.ok }}' },
    ],
    [
      'schedule',
      { cron: '0 9 * * MON-FRI', timezone: 'Europe/Berlin' },
      { cron: '0 9 * * MON-FRI', timezone: 'Europe/Berlin', misfire: 'fire_once' },
    ],
    ['schedule', { cron: '@daily', misfire: 'skip' }, { cron: '@daily', timezone: 'UTC', misfire: 'skip' }],
  ])('stores the config of a %s trigger: %j', async (type, config, stored) => {
    expect((await make({ type: type.toUpperCase(), config })).trigger.config).toEqual(stored);
  });

  test.each([
    ['webhook', { respond: 'later' }, 'config.respond'],
    ['webhook', { respond_timeout_ms: 10_000_000 }, 'config.respond_timeout_ms'],
    ['webhook', 'text', 'config'],
    ['event', {}, 'config.topics'],
    ['event', { topics: ['Not a topic'] }, 'config.topics.0'],
    ['event', { topics: ['stock.changed', 'orders.created'] }, 'config.topics.1'],
    ['event', { topics: [] }, 'config.topics'],
    ['event', { topic: 'a.b', filter: 'trigger.payload.(' }, 'config.filter'],
    ['event', { topic: 'a.b', filter: '{{ nonsense ( }}' }, 'config.filter'],
    ['schedule', {}, 'config.cron'],
    ['schedule', { cron: '* * *' }, 'config.cron'],
    ['schedule', { cron: '61 * * * *' }, 'config.cron'],
    ['schedule', { cron: '0 0 31 4,6,9,11 *' }, 'config.cron'],
    ['schedule', { cron: 'H * * * *' }, 'config.cron'],
    ['schedule', { cron: '* * * * *', timezone: 'Mars/Olympus' }, 'config.timezone'],
    ['schedule', { cron: '* * * * *', timezone: '+01:00' }, 'config.timezone'],
    ['schedule', { cron: '* * * * *', misfire: 'twice' }, 'config.misfire'],
  ])('refuses the %s config %j and makes nothing', async (type, config, key) => {
    const count = () => api.database.withTenant('acme-shop', (tx) => tx.trigger.count());
    const before = await count();
    const made = await make({ type: type.toUpperCase(), config });
    expect(made.__typename).toBe('ValidationError');
    expect(made.fields.map(({ path }) => path)).toEqual([key]);
    expect(await count()).toBe(before);
  });

  test('keeps the handle through every change, and validates the config against the new type', async () => {
    const { trigger: made } = await make({ type: 'MANUAL' });
    const renamed = await change({ id: made.id, name: 'Renamed', active: false });
    expect(renamed.trigger).toMatchObject({ handle: made.handle, name: 'Renamed', active: false, type: 'MANUAL' });
    const refused = await change({ id: made.id, type: 'SCHEDULE' });
    expect(refused.fields.map(({ path }) => path)).toEqual(['config.cron']);
    const changed = await change({ id: made.id, type: 'SCHEDULE', config: { cron: '@hourly' } });
    expect(changed.trigger).toMatchObject({ handle: made.handle, type: 'SCHEDULE', config: { cron: '@hourly' } });
  });

  test('deletes a trigger once', async () => {
    const { trigger: made } = await make({ type: 'MANUAL' });
    const first = await api.graphql(remove, { input: { id: made.id } });
    expect(first.data).toEqual({ deleteTrigger: { __typename: 'DeleteTriggerPayload', deletedId: made.id } });
    const second = await api.graphql(remove, { input: { id: made.id } });
    expect(second.data).toEqual({ deleteTrigger: { __typename: 'NotFoundError', code: 'NOT_FOUND' } });
  });

  test('audits creation, change and deletion', async () => {
    const { trigger: made } = await make({ type: 'MANUAL', name: 'Audited' });
    await change({ id: made.id, name: 'Audited still' });
    await api.graphql(remove, { input: { id: made.id } });
    const { rows } = await api.database.system.query(
      `SELECT action FROM audit_entries WHERE resource_type = 'trigger' AND resource_id = $1 ORDER BY id`,
      [Buffer.from(made.id, 'base64').toString().split(':')[1]],
    );
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
  });

  test('limits the triggers of a workflow', async () => {
    const { data } = await api.graphql<{ createWorkflow: { workflow: { id: string; databaseId: number } } }>(
      'mutation { createWorkflow(input: { name: "Full" }) { ... on CreateWorkflowPayload { workflow { id databaseId } } } }',
    );
    const full = data.createWorkflow.workflow;
    await api.database.withTenant('acme-shop', (tx) =>
      tx.trigger.createMany({
        data: Array.from({ length: 100 }, (_, n) => ({
          tenantId: 'acme-shop',
          workflowId: full.databaseId,
          type: 'manual',
          name: `${n}`,
        })),
      }),
    );
    const refused = await make({ workflowId: full.id, type: 'MANUAL' });
    expect(refused.__typename).toBe('ValidationError');
  });

  test('limits the active event triggers of a tenant', async () => {
    const { database } = api;
    const tenant = 'acme-outlet';
    const workflow = await database.withTenant(tenant, (tx) =>
      tx.workflow.create({ data: { tenantId: tenant, name: 'Busy', blob: { version: 'v1', nodes: [], edges: [] } } }),
    );
    const other = await database.withTenant(tenant, (tx) =>
      tx.workflow.create({ data: { tenantId: tenant, name: 'Other', blob: { version: 'v1', nodes: [], edges: [] } } }),
    );
    await database.system.query(
      `INSERT INTO triggers (tenant_id, workflow_id, type, name, config) SELECT $1, $2, 'event', 'T', '{"topics":["a"]}' FROM generate_series(1, $3)`,
      [tenant, workflow.id, eventTriggersPerTenant - 1],
    );
    const actor = systemActor('acme', tenant);
    const make = (input: object = {}) =>
      createTrigger(api.deps, actor, other.id, { type: 'event', name: 'T', config: { topic: 'a' }, ...input });
    await make();
    const refusal = { fields: { type: ['A tenant has at most 1000 active event triggers.'] } };
    await expect(make()).rejects.toMatchObject(refusal);
    const { id } = await make({ active: false });
    const key = { id };
    await expect(updateTrigger(api.deps, actor, key, { active: true })).rejects.toMatchObject(refusal);
    await updateTrigger(api.deps, actor, key, { name: 'Renamed' });
    await updateTrigger(api.deps, actor, key, { type: 'manual', config: {}, active: true });
    const change = { type: 'event', config: { topic: 'a' } };
    await expect(updateTrigger(api.deps, actor, key, change)).rejects.toMatchObject(refusal);
    expect((await make({ type: 'manual', config: {} })).type).toBe('manual');
  });

  test('finds and changes nothing of another tenant', async () => {
    const { trigger: made } = await make({ type: 'MANUAL' });
    const other = { tenant: 'acme-outlet' };
    const read = await api.graphql('query ($id: ID!) { trigger(id: $id) { id } }', { id: made.id }, other);
    expect(read.data).toEqual({ trigger: null });
    const changed = await api.graphql(update, { input: { id: made.id, name: 'Stolen' } }, other);
    expect(changed.data).toMatchObject({ updateTrigger: { __typename: 'NotFoundError' } });
    const created = await api.graphql(create, { input: { workflowId, type: 'MANUAL', name: 'Foreign' } }, other);
    expect(created.data).toMatchObject({ createTrigger: { __typename: 'NotFoundError' } });
  });

  test('lets the role user read, and only admins write', async () => {
    const { trigger: made } = await make({ type: 'MANUAL' });
    const user = { roles: ['user'] };
    const read = await api.graphql('query ($id: ID!) { trigger(id: $id) { name } }', { id: made.id }, user);
    expect(read.data).toEqual({ trigger: { name: 'One' } });
    const { errors } = await api.graphql(update, { input: { id: made.id, name: 'No' } }, user);
    expect(errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
  });
});
