import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, vi } from 'vitest';
import { tooDeep } from '#src/automation/firings/chain-limits.service.ts';
import type { EventEnvelope } from '#src/automation/firings/event-filter.service.ts';
import { listPatterns } from '#src/automation/firings/event-firing.service.ts';
import { createTrigger } from '#src/automation/triggers/triggers.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { type EventMetadata, publishEvent } from '#src/journal/outbox/outbox.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { measureCpuTime } from '#test/setup/cpu-time.ts';
import { fireRun, node, readyWorkflow, startTestEngine } from '#test/setup/engine.ts';
import { anyTopic } from '#test/setup/topics.ts';
import { startOutboxRelay } from '#workers/relay/outbox-relay.ts';

let api: TestApp;
let relay: { stop(): Promise<void> };
test.beforeAll(async ({ api: started }) => {
  api = started;
  relay = await startOutboxRelay(api.deps, api.services.consumers);
});
afterAll(async () => {
  await relay.stop();
});

let tenants = 0;
/** A tenant of the test's own, so that the triggers of others do not receive its events. */
async function newTenant(): Promise<string> {
  const id = `tenant-${(tenants += 1)}`;
  await api.database.global.tenant.create({ data: { id, orgId: 'acme', name: id } });
  return id;
}

const harmless = { nodes: [node('a', 'set', { values: {} })] };

/** A workflow whose event trigger has this config. */
async function listener(
  tenantId: string,
  config: object,
  { active = true } = {},
): Promise<{ workflowId: number; triggerId: number; handle: string }> {
  const { workflowId } = await readyWorkflow(api, harmless, { tenantId, type: 'manual' });
  const input = { type: 'event', name: 'Hears', config, active };
  const { id, handle } = await createTrigger(api.deps, systemActor('acme', tenantId), BigInt(workflowId), input);
  return { workflowId, triggerId: Number(id), handle };
}

const publish = (tenantId: string, topic: string, data: unknown = {}, metadata: EventMetadata = {}): Promise<string> =>
  api.database.withTenant(tenantId, (tx) => publishEvent(tx, { tenantId, topic: anyTopic(topic), data, metadata }));

/** Waits until the event triggers have received everything that was published. */
async function settled(): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (let wait = 5; ; wait = Math.min(2 * wait, 100)) {
    await delay(wait);
    const { rowCount } = await api.database.system.query(
      `SELECT FROM outbox_events WHERE (xid, id) > (SELECT xid, id FROM outbox_cursors WHERE consumer = 'event-triggers') LIMIT 1`,
    );
    if (rowCount === 0) return;
    if (Date.now() > deadline) throw new Error('The relay does not come to an end.');
  }
}

interface StartedRun {
  id: number;
  workflow_id: number;
  trigger_id: number;
  trigger_type: string;
  depth: number;
  payload: EventEnvelope;
}

async function findRuns(tenantId: string): Promise<StartedRun[]> {
  await settled();
  const { rows } = await api.database.system.query<StartedRun>(
    `SELECT r.id, r.workflow_id, r.trigger_id, r.trigger_type, r.depth, p.payload FROM runs r
     JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id WHERE r.tenant_id = $1 AND r.trigger_type = 'event' ORDER BY r.id`,
    [tenantId],
  );
  return rows;
}

async function findDeadLetters(
  tenantId: string,
): Promise<{ trigger_id: number; source: string; reason: string; payload: EventEnvelope }[]> {
  await settled();
  const { rows } = await api.database.system.query(
    `SELECT d.trigger_id, d.source, d.reason, p.payload FROM dead_letters d
     JOIN dead_letter_payloads p ON p.tenant_id = d.tenant_id AND p.dead_letter_id = d.id WHERE d.tenant_id = $1 ORDER BY d.id`,
    [tenantId],
  );
  return rows;
}

describe('an event', () => {
  test('starts one run for each trigger that subscribes to it, with an envelope as the payload', async () => {
    const tenantId = await newTenant();
    const one = await listener(tenantId, { topics: ['order.created'] });
    const two = await listener(tenantId, { topic: 'order.created' });
    await listener(tenantId, { topics: ['order.cancelled'] });
    const id = await publish(tenantId, 'order.created', { number: 'A-1' }, { source: 'test' });
    const runs = await findRuns(tenantId);
    expect(runs.map((run) => run.trigger_id)).toEqual([one.triggerId, two.triggerId]);
    expect(runs[0]).toMatchObject({ workflow_id: one.workflowId, trigger_type: 'event', depth: 0 });
    expect(runs[0]?.payload).toEqual({
      id,
      topic: 'order.created',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      tenant_id: tenantId,
      data: { number: 'A-1' },
      metadata: { source: 'test' },
    });
  });

  test('matches triggers by exact topic, by prefix and by wildcard', async () => {
    expect(listPatterns('a.b.c')).toEqual(['a.b.c', 'a.*', 'a.b.*', '*']);
    expect(listPatterns('tick')).toEqual(['tick', '*']);
    const tenantId = await newTenant();
    const prefix = await listener(tenantId, { topics: ['order.*', 'stock.low'] });
    const all = await listener(tenantId, { topics: ['*'] });
    for (const topic of ['order.created', 'order.line.added', 'orders.created', 'order', 'stock.low'])
      await publish(tenantId, topic);
    const runs = await findRuns(tenantId);
    const heardBy = (triggerId: number) =>
      runs.filter((run) => run.trigger_id === triggerId).map(({ payload }) => payload.topic);
    expect(heardBy(prefix.triggerId)).toEqual(['order.created', 'order.line.added', 'stock.low']);
    expect(heardBy(all.triggerId)).toHaveLength(5);
  });

  test('starts nothing in another tenant, by an inactive trigger or in a deleted workflow', async () => {
    const [here, there] = [await newTenant(), await newTenant()];
    await listener(there, { topics: ['*'] });
    await listener(here, { topics: ['*'] }, { active: false });
    const gone = await listener(here, { topics: ['*'] });
    await api.database.system.query('UPDATE workflows SET deleted_at = now() WHERE tenant_id = $1 AND id = $2', [
      here,
      gone.workflowId,
    ]);
    await publish(here, 'order.created');
    expect(await findRuns(there)).toEqual([]);
    expect(await findRuns(here)).toEqual([]);
  });

  test('becomes a dead letter if the workflow cannot run yet', async () => {
    const tenantId = await newTenant();
    const { workflowId, triggerId } = await listener(tenantId, { topics: ['order.created'] });
    await api.database.system.query(
      `UPDATE workflows SET bundle_status = 'building' WHERE tenant_id = $1 AND id = $2`,
      [tenantId, workflowId],
    );
    const id = await publish(tenantId, 'order.created');
    expect(await findRuns(tenantId)).toEqual([]);
    expect(await findDeadLetters(tenantId)).toMatchObject([
      { trigger_id: triggerId, source: 'event', reason: 'Workflow bundle is not ready.', payload: { id } },
    ]);
  });
});

describe('a filter', () => {
  test('passes the events for which it is true', async () => {
    const tenantId = await newTenant();
    await listener(tenantId, { topics: ['order.created'], filter: 'trigger.payload.data.total > 100' });
    await listener(tenantId, { topics: ['order.created'], filter: '{{ trigger.payload.data.express }}' });
    for (const data of [{ total: 50 }, { total: 500 }, { total: 1, express: true }])
      await publish(tenantId, 'order.created', data);
    const runs = await findRuns(tenantId);
    expect(runs.map(({ payload }) => payload.data)).toEqual([{ total: 500 }, { total: 1, express: true }]);
  });

  test('that cannot be evaluated leaves a dead letter with the reason, and does not affect other triggers', async () => {
    const tenantId = await newTenant();
    const broken = await listener(tenantId, {
      topics: ['order.created'],
      filter: '$number(trigger.payload.data.total) > 100',
    });
    const nosy = await listener(tenantId, { topics: ['order.created'], filter: 'secrets.ERP_KEY' });
    const sound = await listener(tenantId, { topics: ['order.created'] });
    await publish(tenantId, 'order.created', { total: 'many' });
    expect((await findRuns(tenantId)).map((run) => run.trigger_id)).toEqual([sound.triggerId]);
    expect(await findDeadLetters(tenantId)).toMatchObject([
      {
        trigger_id: broken.triggerId,
        reason: expect.stringContaining("The trigger's filter failed: "),
        payload: { data: { total: 'many' } },
      },
      { trigger_id: nosy.triggerId, reason: expect.stringContaining('secrets are not in its scope') },
    ]);
  });

  test('gets a bounded share of the time of all tenants', async ({ onTestFinished }) => {
    // Its two seconds pass in half of one, which is as much computing as one filter may do.
    const now = performance.now.bind(performance);
    const start = now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => start + 4 * (now() - start));
    onTestFinished(() => clock.mockRestore());
    const [greedy, modest] = [await newTenant(), await newTenant()];
    const slow = '$sum([1..9000].($sum([1..90].($ * 2)))) > 0';
    for (let n = 0; n < 25; n++) await listener(greedy, { topics: ['tick'], filter: slow });
    await listener(modest, { topics: ['tick'], filter: 'trigger.payload.data.n = 1' });
    const taken = await measureCpuTime(async () => {
      await publish(greedy, 'tick');
      await publish(modest, 'tick', { n: 1 });
      expect(await findRuns(modest)).toHaveLength(1);
    });
    expect(taken).toBeLessThan(8_000);
    const reasons = (await findDeadLetters(greedy)).map(({ reason }) => reason);
    expect(reasons).toHaveLength(25);
    expect(reasons.at(-1)).toMatch(/take too long together/);
    expect(reasons.filter((reason) => /take too long together/.test(reason)).length).toBeGreaterThanOrEqual(23);
  });
});

describe('events of runs', () => {
  test('start the workflows that subscribe to what a node emits', async () => {
    const engine = await startTestEngine(api);
    try {
      const tenantId = await newTenant();
      const source = await readyWorkflow(
        api,
        { nodes: [node('tell', 'emit-event', { topic: 'thing.made', data: { n: '{{ trigger.payload.n }}' } })] },
        { tenantId },
      );
      const hears = await listener(tenantId, { topics: ['thing.made'] });
      const runId = await fireRun(api, source, { n: 7 });
      await until(async () => (await findRuns(tenantId)).length === 1);
      const [run] = await findRuns(tenantId);
      expect(run).toMatchObject({ trigger_id: hears.triggerId, depth: 1 });
      expect(run?.payload).toMatchObject({
        topic: 'thing.made',
        data: { n: 7 },
        metadata: { source: 'run', run_id: runId, workflow_id: source.workflowId, depth: 0, root_run_id: runId },
      });
    } finally {
      await engine.stop();
    }
  });

  test('end after ten runs that start one another, and never start the workflow whose run has ended', async () => {
    const engine = await startTestEngine(api);
    try {
      const tenantId = await newTenant();
      const ping = await listener(tenantId, { topics: ['begin', 'run.*'] });
      const pong = await listener(tenantId, { topics: ['run.finished'] });
      await publish(tenantId, 'begin');
      await until(async () => (await findRuns(tenantId)).length >= 11);
      await until(async () => {
        const { rows } = await api.database.system.query<{ open: number }>(
          `SELECT count(*)::int AS open FROM runs WHERE tenant_id = $1 AND completed_at IS NULL`,
          [tenantId],
        );
        return rows[0]?.open === 0;
      });
      const runs = await findRuns(tenantId);
      expect(runs.map(({ depth }) => depth)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(runs.map((run) => run.workflow_id)).toEqual(
        runs.map((_, n) => (n % 2 === 0 ? ping.workflowId : pong.workflowId)),
      );
      expect(await findDeadLetters(tenantId)).toMatchObject([
        { trigger_id: pong.triggerId, reason: tooDeep, payload: { topic: 'run.finished', metadata: { depth: 10 } } },
      ]);
    } finally {
      await engine.stop();
    }
  });
});

describe('an event that cannot be handled', () => {
  test('becomes a dead letter of each subscribed trigger, and does not delay other tenants for long', async () => {
    const [broken, sound] = [await newTenant(), await newTenant()];
    const wanting = [
      await listener(broken, { topics: ['tick'] }),
      await listener(broken, { topics: ['tick'], filter: 'trigger.payload.data.n = 1' }),
    ];
    await listener(broken, { topics: ['tick'], filter: 'trigger.payload.data.n = 2' });
    await listener(sound, { topics: ['tick'] });
    const owner = new pg.Client({ connectionString: api.databaseUrl });
    await owner.connect();
    await owner.query(`CREATE FUNCTION no_runs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a fault with details'; END $$;
      CREATE TRIGGER no_runs BEFORE INSERT ON runs_p0 FOR EACH ROW WHEN (NEW.tenant_id = '${broken}') EXECUTE FUNCTION no_runs()`);
    const id = await publish(broken, 'tick', { n: 1 });
    await publish(sound, 'tick');
    expect(await findRuns(sound)).toHaveLength(1);
    const letters = await findDeadLetters(broken);
    expect(letters.map((letter) => letter.trigger_id)).toEqual(wanting.map(({ triggerId }) => triggerId));
    for (const { source, reason, payload } of letters) {
      expect([source, payload.id]).toEqual(['event', id]);
      expect(reason).toMatch(/could not be handled/);
      expect(reason).not.toContain('details');
    }
    expect(api.logLines.some((line) => line.includes(id) && line.includes('a fault with details'))).toBe(true);
    const { rowCount: failures } = await api.database.system.query('SELECT FROM outbox_failures');
    expect(failures).toBe(0);
    await owner.query('DROP FUNCTION no_runs CASCADE');
    await owner.end();
  });
});

describe('when the relay is killed', () => {
  test('starts exactly one run for each event and trigger, whichever worker continues', async () => {
    const tenantId = await newTenant();
    const triggers = [await listener(tenantId, { topics: ['tick'] }), await listener(tenantId, { topics: ['*'] })];
    const database = openDatabase({ url: api.databaseUrl, poolSize: 4, applicationName: 'frail-relay' });
    const frail = await startOutboxRelay({ ...api.deps, database }, api.services.consumers);
    const killer = new pg.Client({ connectionString: api.databaseUrl });
    await killer.connect();
    const killed: unknown[] = [];
    const published = new AbortController();
    const killing = (async () => {
      while (!published.signal.aborted) {
        await delay(25);
        const { rows } = await killer.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'frail-relay' AND state LIKE 'idle in%'`,
        );
        killed.push(...rows);
      }
    })();
    const ids: string[] = [];
    // Continues until it was killed at work at least once.
    for (let n = 0; n < 100 || killed.length === 0; n++) ids.push(await publish(tenantId, 'tick', { n }));
    published.abort();
    await killing;
    await killer.end();
    const runs = await findRuns(tenantId);
    expect(runs).toHaveLength(2 * ids.length);
    for (const { triggerId } of triggers) {
      const heard = runs.filter((run) => run.trigger_id === triggerId).map(({ payload }) => payload.id);
      expect(heard).toEqual(ids);
    }
    const { rowCount: failures } = await api.database.system.query('SELECT FROM outbox_failures');
    expect(failures).toBe(0);
    await frail.stop();
    await database.close();
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await holds()); await delay(20)) {
    if (Date.now() > deadline) throw new Error('Waited in vain.');
  }
}
