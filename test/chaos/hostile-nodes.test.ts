import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, untilRun } from '#test/setup/engine.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { type OwnProcess, startWorker } from './processes.ts';
import { percentile } from './random.ts';
import { type FiredWorkflow, packaged } from './workload.ts';

let api: TestApp;
let worker: OwnProcess;

test.beforeAll(async ({ api: started }) => {
  api = started;
  worker = await startWorker({ databaseUrl: api.databaseUrl });
});
afterAll(async () => {
  worker.signal('SIGKILL');
  await worker.exited;
});

const outOfTime = ['TIMEOUT', 'CPU_LIMIT'];
/** Time of a node that never ends by itself. */
const endlessMs = 1_500;
/** Time of a node that ends by itself: enough beside all the others, on a busy machine too. */
const endingMs = 30_000;
/** On a busy machine the time may be over before the memory is. */
const outOfMemory = ['OUT_OF_MEMORY', 'MEMORY_LIMIT', ...outOfTime];

/** The code of a package's node, and the codes with which its step may fail; none for one that still succeeds. */
const misdeeds: [name: string, body: string, codes: string[]][] = [
  ['loops', 'while (true);', outOfTime],
  ['loops in microtasks', 'while (true) await null;', outOfTime],
  ['allocates without end', 'const all = []; while (true) all.push(new Array(1e5).fill(Math.random()));', outOfMemory],
  ['floods promises', 'const all = []; while (true) all.push(Promise.resolve().then(() => all));', outOfMemory],
  ['floods the log', 'for (let n = 0; n < 50000; n += 1) ctx.log.info("x".repeat(200)); return { done: true };', []],
  ['throws null', 'throw null;', ['NODE_THREW']],
  ['throws what cannot be read', 'throw new Proxy({}, { get() { throw 1; } });', ['NODE_THREW']],
  ['throws a giant', 'throw new Error("x".repeat(1e6));', ['NODE_THREW']],
  ['pollutes prototypes', 'Object.prototype.then = 1; Array.prototype.map = null; return { done: true };', []],
  ['returns something other than an object', 'return "text";', ['INVALID_RESULT']],
];

/** Latency of a well-behaved tenant's runs, one after another, in milliseconds. */
async function latencies(workflow: FiredWorkflow, until: Promise<unknown>): Promise<number[]> {
  const over = new AbortController();
  const stop = () => over.abort();
  void until.then(stop, stop);
  const taken: number[] = [];
  while (!over.signal.aborted || taken.length < 40) {
    const at = performance.now();
    const run = await untilRun(api, await fireRun(api, workflow));
    taken.push(performance.now() - at);
    expect(run).toMatchObject({ status: 'succeeded' });
    await delay(10);
  }
  return taken;
}

describe('node code that misbehaves', () => {
  test('fails its own step clearly, and neither the worker nor another tenant suffers', startsProcesses, async () => {
    const neighbour = await packaged(api, 'return { ok: ctx.config.n }', { tenantId: 'other-shop' });
    await latencies(neighbour, Promise.resolve());
    const baseline = await latencies(neighbour, Promise.resolve());

    const attack = Promise.all(
      misdeeds.map(async ([name, body, codes]) => {
        const isEndless = codes.includes('TIMEOUT');
        const workflow = await packaged(api, body, { timeout_ms: isEndless ? endlessMs : endingMs });
        const ids = await Promise.all([fireRun(api, workflow), fireRun(api, workflow)]);
        return Promise.all(ids.map(async (id) => ({ name, codes, run: await untilRun(api, id, undefined, 90_000) })));
      }),
    );
    const meanwhile = await latencies(neighbour, attack);
    const ends = (await attack).flat();

    for (const { name, codes, run } of ends) {
      const step = run.steps.find(({ path }) => path === 'own');
      const got = step?.error?.code;
      if (codes.length === 0) expect([name, run.status, got]).toEqual([name, 'succeeded', undefined]);
      else {
        expect([name, run.status]).toEqual([name, 'failed']);
        expect(codes).toContain(got);
        expect(run.error).toMatch(/^own: .{5,2000}/);
        expect(run.error?.length).toBeLessThan(3_000);
      }
    }
    expect(worker.isAlive()).toBe(true);
    expect(worker.log.filter(({ level }) => level === 'error' || level === 50)).toEqual([]);
    const { rows } = await api.database.system.query(
      'SELECT max(n)::int AS most FROM (SELECT count(*) AS n FROM run_log_lines GROUP BY run_id) AS lines',
    );
    expect(rows[0].most).toBeLessThanOrEqual(1_001);

    const figures = {
      test: 'misbehaving nodes beside a well-behaved tenant',
      runs: ends.length,
      baselineMs: { p50: percentile(baseline, 0.5), p99: percentile(baseline, 0.99) },
      meanwhileMs: { p50: percentile(meanwhile, 0.5), p99: percentile(meanwhile, 0.99), count: meanwhile.length },
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    // The median: the slowest few are slow by whatever else the machine does.
    expect(figures.meanwhileMs.p50).toBeLessThan(25 * figures.baselineMs.p50);
  });
});
