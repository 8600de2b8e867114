import fc from 'fast-check';
import { describe, expect, vi } from 'vitest';
import {
  foldRollupChanges,
  insertRollupChangesSql,
  purgeRollups,
} from '#src/automation/runs/rollups/run-rollups.store.ts';
import { finishRuns } from '#src/automation/runs/run-finishing.service.ts';
import { retryRun } from '#src/automation/runs/runs.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { insertRun, insertWorkflow, type RunGiven } from '#test/automation/runs/run-rows.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

interface Counts {
  total: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  p50Ms: number | null;
  p95Ms: number | null;
  maxMs: number | null;
}
interface Series {
  workflowId: number | null;
  triggerType: string | null;
  workflow: { name: string } | null;
  total: Counts;
  buckets: (Counts & { from: string; until: string })[];
}
const counts = 'total succeeded failed cancelled p50Ms p95Ms maxMs';
const document = `query ($filter: RunStatsFilter!, $interval: StatsInterval!, $groupBy: RunStatsGrouping, $timeZone: String! = "UTC") {
  runStats(filter: $filter, interval: $interval, groupBy: $groupBy, timeZone: $timeZone) {
    workflowId triggerType workflow { name } total { ${counts} } buckets { from until ${counts} } } }`;

async function stats(variables: object, tenant = 'acme-shop'): Promise<Series[]> {
  const { data, errors } = await api.graphql<{ runStats: Series[] }>(document, variables, { tenant });
  expect(errors).toBeUndefined();
  return data.runStats;
}

/** Makes a run that ended, with its change of the rollups. */
async function endedRun(workflowId: number, given: RunGiven, tenantId = 'acme-shop'): Promise<number> {
  const id = await insertRun(api.database, tenantId, workflowId, given);
  await api.database.system.query(
    insertRollupChangesSql('(SELECT * FROM runs WHERE tenant_id = $1 AND id = $2) AS ended', 1),
    [tenantId, id],
  );
  return id;
}
const fold = () => foldRollupChanges(api);
const isoAt = (ms: number) => new Date(ms).toISOString();

interface Ended {
  key: string;
  status: string;
  endedAt: number;
  ms: number;
}

/** What the table says of these runs, from the whole durations. */
function readCounts(runs: Ended[]): Counts {
  const timed = runs.filter(({ status }) => status !== 'cancelled').map(({ ms }) => ms);
  const sorted = timed.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  const having = (status: string) => runs.filter((run) => run.status === status).length;
  return {
    total: runs.length,
    succeeded: having('succeeded'),
    failed: having('failed'),
    cancelled: having('cancelled'),
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    maxMs: sorted.at(-1) ?? null,
  };
}

function expectCounts({ p50Ms, p95Ms, maxMs, ...numbers }: Counts, expected: Counts): void {
  expect(numbers).toMatchObject({
    total: expected.total,
    succeeded: expected.succeeded,
    failed: expected.failed,
    cancelled: expected.cancelled,
  });
  for (const [given, exact] of [
    [p50Ms, expected.p50Ms],
    [p95Ms, expected.p95Ms],
    [maxMs, expected.maxMs],
  ] as const) {
    if (exact === null) expect(given).toBeNull();
    else {
      expect(given).toBeLessThanOrEqual(exact);
      expect(given).toBeGreaterThanOrEqual(exact < 100 ? exact : exact * 0.975);
    }
  }
}

async function readTable(tenantId: string, key = 'workflow_id::text'): Promise<Ended[]> {
  const { rows } = await api.database.system.query<Ended>(
    `SELECT ${key} AS key, status, (extract(epoch FROM completed_at) * 1000)::float8 AS "endedAt",
       (extract(epoch FROM completed_at - started_at) * 1000)::float8 AS ms
     FROM runs WHERE tenant_id = $1 AND completed_at IS NOT NULL`,
    [tenantId],
  );
  return rows;
}

const hourMs = 3_600_000;
const now = Math.floor(Date.now() / hourMs) * hourMs;

test('hours, days and groups say what the table says, wherever the changes are', async () => {
  const workflows = await Promise.all(
    ['Orders', 'Stock', 'Prices'].map((name) => insertWorkflow(api.database, 'acme-shop', name)),
  );
  const since = now - 29 * 24 * hourMs;
  const ended = fc.record({
    workflow: fc.integer({ min: 0, max: 2 }),
    status: fc.constantFrom('succeeded', 'succeeded', 'failed', 'cancelled'),
    triggerType: fc.constantFrom('webhook', 'schedule', 'event', 'manual'),
    // Most in few hours, so that buckets have several.
    hour: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 28 * 24 })),
    within: fc.integer({ min: 0, max: hourMs - 1 }),
    ms: fc.oneof(
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 0, max: 10_000 }),
      fc.integer({ min: 0, max: 2_000_000_000 }),
    ),
    folds: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(ended, { minLength: 1, maxLength: 25 }),
      fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Apia'),
      async (runs, timeZone) => {
        for (const { workflow, status, triggerType, hour, within, ms, folds } of runs) {
          const endedAt = since + hour * hourMs + within;
          const times = { startedAt: isoAt(endedAt - ms), completedAt: isoAt(endedAt) };
          await endedRun(workflows[workflow] as number, { status, triggerType, ...times });
          if (folds) await fold();
        }
        const table = await readTable('acme-shop');
        const [byHour] = await stats({ filter: { since: isoAt(since), until: isoAt(now) }, interval: 'HOUR' });
        expect(byHour?.buckets).toHaveLength(29 * 24);
        const days = await stats({
          filter: { since: isoAt(since), until: isoAt(now) },
          interval: 'DAY',
          groupBy: 'WORKFLOW',
          timeZone,
        });
        for (const series of [byHour as Series, ...days]) {
          const own = table.filter(({ key }) => series.workflowId === null || key === String(series.workflowId));
          expectCounts(series.total, readCounts(own));
          for (const bucket of series.buckets) {
            const isIn = ({ endedAt }: Ended) =>
              endedAt >= Date.parse(bucket.from) && endedAt < Date.parse(bucket.until);
            expectCounts(bucket, readCounts(own.filter(isIn)));
          }
        }
        expect(days.reduce((sum, { total }) => sum + total.total, 0)).toBe(table.length);
        const types = await stats({ filter: { since: isoAt(since) }, interval: 'HOUR', groupBy: 'TRIGGER_TYPE' });
        const byType = await readTable('acme-shop', 'upper(trigger_type)');
        for (const { triggerType, total } of types)
          expectCounts(total, readCounts(byType.filter(({ key }) => key === triggerType)));
        const filter = { since: isoAt(since), workflowId: String(workflows[0]), triggerType: 'WEBHOOK' };
        const [filtered] = await stats({ filter, interval: 'HOUR' });
        const matching = await readTable('acme-shop', `workflow_id || '/' || trigger_type`);
        expectCounts(
          (filtered as Series).total,
          readCounts(matching.filter(({ key }) => key === `${workflows[0]}/webhook`)),
        );
      },
    ),
    { numRuns: 12 },
  );
}, 120_000);

test('runs of the engine are counted when they end, not any more when they are retried, and again when they end again', async ({
  startEngine,
}) => {
  await startEngine();
  const tenant = 'acme-outlet';
  const graph = { nodes: [node('a', 'fail', { message: 'No stock.' })], edges: chain('a') };
  const failing = await readyWorkflow(api, graph, { tenantId: tenant });
  const since = isoAt(Date.now() - hourMs);
  const run = await fireRun(api, failing);
  await untilRun(api, run);
  const once = await fireRun(api, failing);
  await untilRun(api, once);
  const read = async () => (await stats({ filter: { since }, interval: 'HOUR' }, tenant))[0]?.total as Counts;
  const expectTable = async () => expectCounts(await read(), readCounts(await readTable(tenant)));
  await expectTable();
  const { total } = await read();
  expect(total).toBe(2);
  await fold();
  await expectTable();

  const failed = (await readTable(tenant, 'id::text')).filter(({ status }) => status === 'failed');
  expect(failed.length).toBeGreaterThan(0);
  await retryRun(api.services.automation, systemActor('acme', tenant), BigInt(failed[0]?.key as string));
  await vi.waitFor(expectTable);
  await untilRun(api, Number(failed[0]?.key));
  await expectTable();
  await fold();
  await expectTable();
});

test('a run that is cancelled while it waits in the queue is counted, without a duration', async () => {
  const tenantId = 'acme-shop';
  const workflow = await insertWorkflow(api.database, tenantId, 'Cancelled');
  const runId = await insertRun(api.database, tenantId, workflow, { status: 'queued' });
  await api.database.withTenantSql(tenantId, (tx) =>
    finishRuns(tx, api.services.automation, null, [
      { tenantId, runId, status: 'cancelled', error: null, result: null },
    ]),
  );
  const filter = { since: isoAt(Date.now() - hourMs), workflowId: String(workflow) };
  expect((await stats({ filter, interval: 'DAY' }))[0]?.total).toEqual({
    total: 1,
    succeeded: 0,
    failed: 0,
    cancelled: 1,
    p50Ms: null,
    p95Ms: null,
    maxMs: null,
  });
});

describe('days', () => {
  test.for([
    ['Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', 23],
    ['Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', 25],
    ['Australia/Lord_Howe', '2026-10-03T13:30:00.000Z', '2026-10-04T13:00:00.000Z', 23.5],
    ['Asia/Kolkata', '2026-10-24T18:30:00.000Z', '2026-10-25T18:30:00.000Z', 24],
    // Midnight does not exist: the day begins at one o'clock.
    ['Africa/Cairo', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z', 23],
    // Midnight exists twice: the day before ends at the first one.
    ['America/Havana', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z', 25],
  ] as const)('of %s that begins at %s has its hours', async ([timeZone, from, until, hours]) => {
    const middle = isoAt((Date.parse(from) + Date.parse(until)) / 2);
    const filter = { since: middle, until: middle.replace('.000Z', '.001Z') };
    const [series] = await stats({ filter, interval: 'DAY', timeZone });
    expect(series?.buckets).toMatchObject([{ from, until }]);
    expect((Date.parse(until) - Date.parse(from)) / hourMs).toBe(hours);
  });

  test('before a clock change and after it hold the runs of their own hours', async () => {
    const workflow = await insertWorkflow(api.database, 'acme-shop', 'Night shift');
    for (const completedAt of ['2026-10-24T21:59:59.999Z', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'])
      await endedRun(workflow, { startedAt: completedAt, completedAt });
    const filter = { since: '2026-10-24T12:00:00Z', until: '2026-10-25T12:00:00Z', workflowId: String(workflow) };
    const [series] = await stats({ filter, interval: 'DAY', timeZone: 'Europe/Berlin' });
    expect(series?.buckets.map(({ total }) => total)).toEqual([1, 2]);
  });
});

test('runStats refuses empty and too long ranges, unknown time zones, and zones that are not off UTC by whole half-hours', async () => {
  const errorCode = async (variables: object) => {
    const { errors } = await api.graphql(document, variables);
    return errors?.[0]?.extensions;
  };
  const filter = { since: '2026-10-24T12:00:00Z', until: '2026-10-24T12:00:00Z' };
  expect(await errorCode({ filter, interval: 'HOUR' })).toMatchObject({ code: 'VALIDATION_FAILED' });
  const long = { since: '2026-01-01T00:00:00Z', until: '2026-02-02T00:00:00Z' };
  expect(await errorCode({ filter: long, interval: 'HOUR' })).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(await errorCode({ filter: long, interval: 'DAY' })).toBeUndefined();
  for (const timeZone of ['Mars/Olympus', '+02:00', '', 'Asia/Kathmandu'])
    expect(await errorCode({ filter: long, interval: 'DAY', timeZone })).toMatchObject({ code: 'VALIDATION_FAILED' });
});

test('at most ten groups are returned, those with the most runs', async () => {
  const since = now - 390 * 24 * hourMs;
  for (let index = 0; index < 12; index += 1) {
    const workflow = await insertWorkflow(api.database, 'acme-shop', `Group ${index}`);
    for (let run = 0; run < (index % 3) + 1; run += 1)
      await endedRun(workflow, { startedAt: isoAt(since), completedAt: isoAt(since + 5) });
  }
  const filter = { since: isoAt(since - hourMs), until: isoAt(since + hourMs) };
  const groups = await stats({ filter, interval: 'HOUR', groupBy: 'WORKFLOW' });
  expect(groups.map(({ total }) => total.total)).toEqual([3, 3, 3, 3, 2, 2, 2, 2, 1, 1]);
  const names = groups.slice(0, 4).map(({ workflow }) => workflow?.name);
  expect(new Set(names)).toEqual(new Set(['Group 11', 'Group 2', 'Group 5', 'Group 8']));
});

test('counts stay when the runs are deleted, and are deleted after 400 days themselves', async () => {
  const tenantId = 'acme-shop';
  const workflow = await insertWorkflow(api.database, tenantId, 'Kept');
  const old = Date.now() - 401 * 24 * hourMs;
  const ids = [
    await endedRun(workflow, { startedAt: isoAt(now - hourMs), completedAt: isoAt(now - hourMs) }),
    await endedRun(workflow, { startedAt: isoAt(old), completedAt: isoAt(old) }),
  ];
  await api.database.system.query('DELETE FROM runs WHERE tenant_id = $1 AND id = ANY($2::bigint[])', [tenantId, ids]);
  await fold();
  const total = async (at: number) => {
    const filter = { since: isoAt(at - hourMs), until: isoAt(at + hourMs), workflowId: String(workflow) };
    return (await stats({ filter, interval: 'HOUR' }))[0]?.total.total;
  };
  expect(await total(now - hourMs)).toBe(1);
  // A change of a slot that is not kept any more is dropped as it is added.
  expect(await total(old)).toBe(0);
  await api.database.system.query(
    `INSERT INTO run_rollups VALUES ($1, date_bin('30 minutes', $2::timestamptz, 'epoch'), $3, 'webhook', 'failed', 5, 7)`,
    [tenantId, isoAt(old), workflow],
  );
  expect(await total(old)).toBe(7);
  expect(await purgeRollups(api)).toBe(false);
  expect([await total(old), await total(now - hourMs)]).toEqual([0, 1]);
});

test('readers meet each run once while changes are added', async () => {
  const workflow = await insertWorkflow(api.database, 'acme-shop', 'Busy');
  await api.database.system.query(
    `INSERT INTO run_rollup_changes (tenant_id, slot, workflow_id, trigger_type, status, duration_ms, runs)
     SELECT 'acme-shop', date_bin('30 minutes', $1::timestamptz, 'epoch'), $2, 'webhook', 'succeeded', n % 50, 1 FROM generate_series(1, 25000) AS n`,
    [isoAt(now - hourMs), workflow],
  );
  const filter = { since: isoAt(now - 2 * hourMs), workflowId: String(workflow) };
  const state = { isFolded: false };
  const folding = Promise.all(
    [1, 2].map(async () => {
      while (await fold());
    }),
  ).then(() => {
    state.isFolded = true;
  });
  const seen = new Set<number | undefined>();
  while (!state.isFolded) seen.add((await stats({ filter, interval: 'HOUR' }))[0]?.total.total);
  await folding;
  seen.add((await stats({ filter, interval: 'HOUR' }))[0]?.total.total);
  expect([...seen]).toEqual([25_000]);
});
