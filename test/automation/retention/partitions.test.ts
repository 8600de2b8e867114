import pg from 'pg';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import { sweepRetention } from '#src/automation/retention/retention-sweep.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { createHistory, nothing } from './history.ts';

const span = 5_000_000;
let api: TestApp;
let owner: pg.Client;
let history: ReturnType<typeof createHistory>;
test.beforeAll(async ({ api: started }) => {
  api = started;
  history = createHistory(api);
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
});

/** Partitions 0 to 3 of runs and of the audit log; 3 is being filled. */
beforeEach(async () => {
  for (const part of [0, 1, 2, 3]) {
    await owner.query(`SELECT setval('runs_id_seq', $1), setval('audit_entries_id_seq', $1)`, [part * span + 1_000]);
    // One that a test dropped is made again.
    await owner.query('SELECT ensure_partitions()');
  }
  await owner.query('TRUNCATE runs, steps, run_log_lines, run_payloads, run_results, run_keys, audit_entries');
});

const system = { query: (text: string) => api.database.system.query(text) };
const drop = async (family: string, part: number): Promise<boolean> =>
  (await api.database.system.query('SELECT drop_passed_partition($1, $2) AS dropped', [family, part])).rows[0].dropped;
const isThere = async (name: string): Promise<boolean> =>
  (await owner.query('SELECT to_regclass($1) IS NOT NULL AS there', [name])).rows[0].there;
const everything = ['runs', 'run_payloads', 'run_results', 'steps', 'run_log_lines'];

describe('a partition of runs', () => {
  test('is dropped with all data of its runs, once every tenant’s retention has passed', async () => {
    await history.settings('acme-shop', { run: 10 });
    await history.settings('acme-outlet', { run: 20 });
    const shop = await history.run({ id: 5, age: 21 });
    const outlet = await history.run({ id: 6, tenant: 'acme-outlet', age: 21, status: 'failed' });
    const later = await history.run({ id: span + 5, age: 1 });
    expect(await drop('runs', 0)).toBe(true);
    for (const table of everything) expect(await isThere(`${table}_p0`)).toBe(false);
    for (const id of [shop, outlet]) expect(await history.left(id)).toEqual(nothing);
    expect((await history.left(later)).runs).toBe(1);
  });

  test('stays while one tenant keeps a run of it: for more days, forever, or because it ended late', async () => {
    await history.settings('acme-shop', { run: 10 });
    await history.settings('acme-outlet', { run: 30 });
    await history.settings('other-shop', { run: null });
    await history.run({ id: 5, age: 21 });
    const more = await history.run({ id: 6, tenant: 'acme-outlet', age: 21 });
    expect(await drop('runs', 0)).toBe(false);
    await owner.query('DELETE FROM runs WHERE id = $1', [more]);
    const forEver = await history.run({ id: 7, tenant: 'other-shop', age: 3_000 });
    expect(await drop('runs', 0)).toBe(false);
    await owner.query('DELETE FROM runs WHERE id = $1', [forEver]);
    const late = await history.run({ id: 8, age: 21, endedAge: 2 });
    expect(await drop('runs', 0)).toBe(false);
    await owner.query('DELETE FROM runs WHERE id = $1', [late]);
    expect(await drop('runs', 0)).toBe(true);
  });

  test.each(['queued', 'running', 'waiting'])('stays while a run of it is %s', async (status) => {
    await history.settings('acme-shop', { run: 1 });
    await history.run({ id: 5, age: 500 });
    const alive = await history.run({ id: 6, age: 500, status });
    expect(await drop('runs', 0)).toBe(false);
    expect(await history.left(alive)).toMatchObject({ runs: 1, steps: 2, payloads: 1 });
  });

  test('stays while a parent or child of one of its runs is in another partition', async () => {
    await history.settings('acme-shop', { run: 1 });
    const parent = await history.run({ id: 5, age: 500, status: 'waiting' });
    await history.run({ id: span + 5, age: 500, parent });
    expect(await drop('runs', 1)).toBe(false);
    await owner.query(`UPDATE runs SET status = 'cancelled', completed_at = now() - interval '99 days' WHERE id = $1`, [
      parent,
    ]);
    const child = await history.run({ id: 3 * span + 6, age: 400, status: 'queued', parent });
    expect(await drop('runs', 1)).toBe(true);
    expect(await drop('runs', 0)).toBe(false);
    await owner.query('DELETE FROM runs WHERE id = $1', [child]);
    expect(await drop('runs', 0)).toBe(true);
  });

  test('stays while it may still have writers, and only existing partitions are dropped', async () => {
    for (const part of [2, 3, 4, 9, -1]) expect(await drop('runs', part)).toBe(false);
    expect(await drop('workflows', 0)).toBe(false);
    expect(await isThere('runs_p2')).toBe(true);
  });

  test('is left for later while the table is locked, and delays others by at most a tenth of a second', async () => {
    await history.settings('acme-shop', { run: 1 });
    await history.run({ id: 5, age: 500 });
    await owner.query('BEGIN');
    try {
      await owner.query('SELECT FROM runs LIMIT 1');
      await expect(drop('runs', 0)).rejects.toMatchObject({ code: '55P03' });
      const { rows } = await system.query(`SELECT proconfig FROM pg_proc WHERE proname = 'drop_passed_partition'`);
      expect(rows[0].proconfig).toContain('lock_timeout=100ms');
      expect((await sweepRetention(api.deps, { pauseMs: 0 })).partitions).toEqual([]);
    } finally {
      await owner.query('ROLLBACK');
    }
    expect(await isThere('runs_p0')).toBe(true);
  });

  test('can be dropped by the sweeper only', async () => {
    await expect(
      api.database.withTenant('acme-shop', (tx) => tx.$queryRaw`SELECT drop_passed_partition('runs', 0)`),
    ).rejects.toThrow('permission denied');
    await expect(system.query('DROP TABLE runs_p0')).rejects.toThrow('must be owner');
  });
});

describe('a partition of the audit log', () => {
  const write = (id: number, tenant: string, age: number) =>
    owner.query(
      `INSERT INTO audit_entries (id, tenant_id, org_id, via_system, channel, action, resource_type, resource_id, created_at)
       VALUES ($1, $2, 'acme', true, 'system', 'run.finished', 'workflow_run', '1', now() - $3 * interval '1 day')`,
      [id, tenant, age],
    );

  test('is dropped once the newest entry of each tenant in it has expired', async () => {
    await history.settings('acme-shop', { audit: 10 });
    await history.settings('acme-outlet', { audit: 20 });
    await write(5, 'acme-shop', 30);
    await write(6, 'acme-outlet', 15);
    expect(await drop('audit_entries', 0)).toBe(false);
    await history.settings('acme-outlet', { audit: null });
    expect(await drop('audit_entries', 0)).toBe(false);
    await history.settings('acme-outlet', { audit: 14 });
    expect(await drop('audit_entries', 0)).toBe(true);
    expect(await isThere('audit_entries_p0')).toBe(false);
  });

  test('of a tenant without settings is kept for a year', async () => {
    await write(5, 'quiet-shop', 364);
    expect(await drop('audit_entries', 0)).toBe(false);
    await owner.query(`UPDATE audit_entries SET created_at = now() - interval '366 days'`);
    expect(await drop('audit_entries', 0)).toBe(true);
  });
});

test('a sweep drops partitions first, with the idempotency keys of their runs, and then deletes row by row', async () => {
  for (const tenant of ['acme-shop', 'acme-outlet', 'other-shop'])
    await history.settings(tenant, { run: 10, audit: 10 });
  await history.run({ id: 5, age: 21, key: 'order-1' });
  const kept = await history.run({ id: 3 * span + 50, age: 2, key: 'order-2' });
  const sweep = await sweepRetention(api.deps, { pauseMs: 0 });
  expect(sweep.partitions).toEqual(['runs_p0', 'runs_p1', 'audit_entries_p0', 'audit_entries_p1']);
  expect(sweep.deleted).toMatchObject({ runKeys: 1 });
  expect(sweep.deleted.runs).toBeUndefined();
  expect(await history.left(kept)).toMatchObject({ runs: 1, keys: 1 });
});
