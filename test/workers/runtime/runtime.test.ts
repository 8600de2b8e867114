import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRuntime } from '#workers/runtime/runtime.ts';
import type { Runtime, RuntimeOptions } from '#workers/runtime/runtime.ts';
import { compileCode, describeError, executing, isAlive, memoryBroker, requireOutputs, runIn } from './harness.ts';

/** For tests that need no limits of their own: starting a child takes a tenth of a second of processor time. */
let shared: Runtime;
beforeAll(async () => {
  shared = await createRuntime();
});
afterAll(() => shared.close());

const runtimes: Runtime[] = [];
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
});

async function start(options?: RuntimeOptions): Promise<Runtime> {
  const runtime = await createRuntime(options);
  runtimes.push(runtime);
  return runtime;
}

const listPids = (runtime: Runtime): number[] =>
  runtime.stats().children.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
const hang = executing('await new Promise(() => {});');
const forever = executing('while (true);');
const fine = executing('return { outputs: { sum: ctx.inputs.a + ctx.inputs.b }, branch: "added" };');
const input = { config: {}, inputs: { a: 1, b: 2 } };

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: 60_000, interval: 10 }).toBe(true);
}

describe('an execution', () => {
  test('returns outputs and branch, and passes the node its context', async () => {
    expect(await runIn(shared, fine, { input })).toEqual({
      ok: true,
      value: { outputs: { sum: 3 }, branch: 'added' },
      logs: [],
    });
    const echo = executing(
      'const { log, http, state, files, credentials, signal, ...data } = ctx; return { data, aborted: signal.aborted };',
    );
    const given = { config: { a: 1 }, inputs: {}, trigger: { type: 'manual' }, run: { id: '7' }, idempotencyKey: 'k' };
    expect(requireOutputs(await runIn(shared, echo, { input: given }))).toEqual({ data: given, aborted: false });
  });

  test('reads a plain object as outputs, a branch alone as a branch and nothing as nothing', async () => {
    const value = async (body: string) => {
      const outcome = await runIn(shared, executing(body));
      return outcome.ok ? outcome.value : outcome;
    };
    expect(await value('return { a: 1, branch: "kept" };')).toEqual({
      outputs: { a: 1, branch: 'kept' },
      branch: 'default',
    });
    expect(await value('return { branch: "else" };')).toEqual({ outputs: {}, branch: 'else' });
    expect(await value('')).toEqual({ outputs: {}, branch: 'default' });
  });

  test('resolve and test return any JSON', async () => {
    const code = compileCode(
      'export const resolve = (ctx) => [ctx.target]; export const test = async () => ({ ok: true });',
    );
    expect(await runIn(shared, code, { entry: 'resolve', input: { target: 'outputs' } })).toMatchObject({
      ok: true,
      value: ['outputs'],
    });
    expect(await runIn(shared, code, { entry: 'test' })).toMatchObject({ ok: true, value: { ok: true } });
  });

  test('reads the source once per process and hash', async () => {
    let asked = 0;
    const code = { codeHash: 'counted', source: () => ((asked += 1), fine.source()) };
    await Promise.all(Array.from({ length: 5 }, () => runIn(shared, code, { input })));
    await runIn(shared, code, { input });
    expect(asked).toBe(1);
    const missing = { codeHash: 'none', source: () => Promise.reject(new Error('gone')) };
    expect(await runIn(shared, missing)).toMatchObject({ kind: 'unavailable', error: { code: 'CODE_UNAVAILABLE' } });
  });

  test('calls the broker for http, state and credentials, and gets its errors', async () => {
    const broker = memoryBroker();
    const code = executing(`
      const first = await ctx.state.set('orders', 'k', { n: 1 });
      const entry = await ctx.state.get('orders', 'k');
      await ctx.state.delete('orders', 'k');
      const answer = await ctx.http({ url: new URL('/a?b=1', 'https://erp.test'), query: { page: 2 }, timeout_ms: 100 });
      const wrong = await ctx.http({ url: 5 }).catch((error) => error.code);
      return { first, entry, gone: await ctx.state.get('orders', 'k'), answer: answer.body, wrong, secret: await ctx.credentials.get('erp', 'token') };`);
    expect(requireOutputs(await runIn(shared, code, { broker }))).toEqual({
      first: { version: 1 },
      entry: { value: { n: 1 }, version: 1 },
      gone: null,
      answer: {
        method: 'GET',
        url: 'https://erp.test/a?b=1',
        headers: {},
        query: { page: '2' },
        answer: 'content',
        timeoutMs: 100,
      },
      wrong: 'INVALID_ARGUMENT',
      secret: 'hunter2-secret-value',
    });
  });

  test('an unexpected failure of the broker reaches the node masked', async () => {
    const broker = memoryBroker({ http: () => Promise.reject(new Error('relation "tenants" does not exist')) });
    const outcome = await runIn(shared, executing('await ctx.http({ url: "http://x/" });'), { broker });
    expect(outcome).toMatchObject({ kind: 'threw', error: { message: 'The call failed.', code: 'CALL_FAILED' } });
  });

  test('after the end the broker gets no calls, and its pending work is aborted', async () => {
    let aborted = false;
    const broker = memoryBroker({
      http: (_request, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(new Error('aborted'));
          });
        }),
    });
    const code = executing(`
      setTimeout(() => { ctx.credentials.get('erp', 'token'); ctx.log.info('late'); }, 2_000);
      void ctx.http({ url: 'http://x/' }).catch(() => {});
      await ctx.state.get('a', 'b');
      return {};`);
    expect((await runIn(shared, code, { broker })).ok).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect({ aborted, calls: broker.calls, lines: broker.lines }).toEqual({ aborted: true, calls: [], lines: [] });
  });
});

describe('secrets', () => {
  test('that were used are not in logs or errors, in any spelling', async () => {
    const broker = memoryBroker();
    const code = executing(`
      const secret = await ctx.credentials.get('erp', 'token');
      ctx.log.info('token ' + secret, { secret }, btoa(secret), encodeURIComponent(secret));
      ctx.log.info('x'.repeat(8192 - 8) + secret);
      ctx.log.warn('configured ' + ctx.config.key);
      throw Object.assign(new Error('failed with ' + secret), { code: secret });`);
    const outcome = await runIn(shared, code, {
      broker,
      input: { config: { key: 'abcd1234efgh' } },
      secrets: ['abcd1234efgh'],
    });
    const seen = JSON.stringify([outcome, broker.lines]);
    expect(describeError(outcome)).toBe('threw: failed with [redacted]');
    expect(seen).not.toMatch(/hunter2|aHVudGVy|abcd1234/);
    expect(broker.lines).toEqual(outcome.logs);
  });
});

describe('cancelling', () => {
  test('aborts ctx.signal, so that code that listens can end by itself', async () => {
    const broker = memoryBroker();
    const abort = new AbortController();
    const code = executing(`
      await new Promise((resolve) => { ctx.signal.addEventListener('abort', resolve); ctx.log.info('listening'); });
      ctx.log.info('heard ' + ctx.signal.reason.code);
      return {};`);
    const outcome = runIn(shared, code, { broker, signal: abort.signal });
    await until(() => broker.lines.length === 1);
    abort.abort();
    expect(await outcome).toMatchObject({
      ok: false,
      kind: 'cancelled',
      logs: [{ message: 'listening' }, { message: 'heard CANCELLED' }],
    });
  });

  test('stops code that does not listen, and removes queued executions', async () => {
    const runtime = await start({ limits: { maxInFlightPerChild: 1, cancelGraceMs: 100, answerGraceMs: 20_000 } });
    const abort = new AbortController();
    const running = runIn(runtime, forever, { signal: abort.signal });
    const queued = runIn(runtime, hang, { signal: abort.signal });
    await until(() => runtime.stats().children[0]?.inFlight === 1);
    abort.abort();
    expect([describeError(await running), describeError(await queued)]).toEqual(
      Array(2).fill('cancelled: The run was cancelled.'),
    );
    expect(requireOutputs(await runIn(runtime, fine, { input }))).toEqual({ sum: 3 });
    expect(describeError(await runIn(runtime, fine, { input, signal: abort.signal }))).toBe(
      'cancelled: The run was cancelled.',
    );
  });
});

describe('processes', () => {
  test('a killed one fails only its own executions and is replaced', async () => {
    const crashes: unknown[] = [];
    const runtime = await start({ onCrash: (crash) => crashes.push(crash) });
    const mine = [1, 2].map(() => runIn(runtime, hang, { timeoutMs: 30_000 }));
    const other = runIn(
      runtime,
      executing('await new Promise((resolve) => setTimeout(resolve, 500)); return { lived: true };'),
      { owner: 'tenant-b' },
    );
    await until(
      () =>
        runtime.stats().children.every((child) => child.ready) &&
        runtime.stats().children.some((child) => child.inFlight === 2),
    );
    const victim = runtime.stats().children.find((child) => child.owner === 'tenant-a')?.pid ?? 0;
    process.kill(victim, 'SIGKILL');
    for (const outcome of await Promise.all(mine))
      expect(outcome).toMatchObject({ kind: 'crashed', error: { code: 'RUNTIME_CRASHED' } });
    expect(requireOutputs(await other)).toEqual({ lived: true });
    expect(requireOutputs(await runIn(runtime, fine, { input }))).toEqual({ sum: 3 });
    expect(runtime.stats().children.map(({ pid }) => pid)).not.toContain(victim);
    expect(crashes).toMatchObject([{ owner: 'tenant-a' }]);
  });

  test('one that takes too long to start is stopped, and the reason does not include its output', async () => {
    const crashes: unknown[] = [];
    const runtime = await start({ limits: { startTimeoutMs: 1 }, onCrash: (crash) => crashes.push(crash) });
    expect(describeError(await runIn(runtime, fine, { input }))).toMatch(
      /^unavailable: The node runtime process does not start/,
    );
    expect(crashes[0]).toMatchObject({ fault: expect.stringMatching(/^It did not start within 0.001 s/) });
    expect(crashes[0]).not.toHaveProperty('stderr');
  });

  test("a tenant that misbehaves in every way does not delay another's executions", async () => {
    const runtime = await start({ limits: { memoryMiB: 32, maxCpuMs: 30_000 } });
    const quick = { owner: 'tenant-b', input };
    const stopping = new AbortController();
    const ended: string[] = [];
    const bad = Object.entries({
      ...Object.fromEntries([1, 2, 3, 4].map((n) => [`endless ${n}`, forever])),
      promises: executing('const all = []; while (true) all.push(new Promise(() => {}));'),
      logs: executing('while (true) ctx.log.info("x".repeat(10_000));'),
      ids: executing('while (true) crypto.randomUUID();'),
    }).map(async ([name, code]) => {
      const outcome = await runIn(runtime, code, { timeoutMs: 30_000, signal: stopping.signal });
      ended.push(name);
      return outcome;
    });
    await until(() => runtime.stats().children.some((child) => child.inFlight > 4));
    for (let attempt = 0; attempt < 30; attempt += 1) requireOutputs(await runIn(runtime, fine, quick));
    // Thirty answers while the others had thirty seconds to end: none waited for one of them.
    expect(ended.filter((name) => name.startsWith('endless'))).toEqual([]);
    stopping.abort();
    expect((await Promise.all(bad)).map((outcome) => outcome.ok)).toEqual(Array(7).fill(false));
  });

  test('are limited in number: an idle one is killed to make room, a busy one drains', async () => {
    const runtime = await start({ limits: { maxChildren: 2, childTenureMs: 200, maxInFlightPerChild: 4 } });
    const tenants = ['t1', 't2', 't3'];
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, runtime.stats().children.length)), 5);
    const slow = executing('await new Promise((resolve) => setTimeout(resolve, 150)); return {};');
    const outcomes = await Promise.all(
      tenants.flatMap((owner) => Array.from({ length: 10 }, () => runIn(runtime, slow, { owner }))),
    );
    clearInterval(watch);
    expect(outcomes.filter((outcome) => !outcome.ok)).toEqual([]);
    expect(most).toBe(2);
  });

  test('a tenant with a long queue does not block others', async () => {
    const runtime = await start({ limits: { maxChildren: 1, childTenureMs: 100, maxInFlightPerChild: 2 } });
    const slow = executing('await new Promise((resolve) => setTimeout(resolve, 50)); return {};');
    const ended: string[] = [];
    const run = (owner: string) => runIn(runtime, slow, { owner }).then(() => ended.push(owner));
    const many = Array.from({ length: 40 }, () => run('greedy'));
    await until(() => ended.length > 2);
    await Promise.all(['t2', 't3'].map(run));
    expect(ended.length).toBeLessThan(40);
    expect(new Set(ended)).toEqual(new Set(['greedy', 't2', 't3']));
    await Promise.all(many);
    expect(ended).toHaveLength(42);
  });

  test('queues are bounded in length and time', async () => {
    const runtime = await start({ limits: { maxInFlightPerChild: 1, maxQueuedPerTenant: 2, queueTimeoutMs: 2000 } });
    const stopping = new AbortController();
    const running = runIn(runtime, hang, { timeoutMs: 30_000, signal: stopping.signal });
    await until(() => runtime.stats().children[0]?.inFlight === 1);
    const others = await Promise.all([runIn(runtime, fine), runIn(runtime, fine), runIn(runtime, fine)]);
    expect(others.map((outcome) => (outcome.ok ? '' : outcome.error.code))).toEqual([
      'QUEUE_TIMEOUT',
      'QUEUE_TIMEOUT',
      'QUEUE_FULL',
    ]);
    stopping.abort();
    expect(describeError(await running)).toMatch(/^cancelled/);
    expect(await runIn(runtime, fine, { input: { big: 1n } })).toMatchObject({ error: { code: 'INPUT_NOT_JSON' } });
    expect(await runIn(runtime, fine, { input: { text: 'x'.repeat(5 * 1024 * 1024) } })).toMatchObject({
      error: { code: 'INPUT_TOO_LARGE' },
    });
  });

  test('an idle one is stopped, and the next execution starts another', async () => {
    const runtime = await start({ limits: { idleChildMs: 100 } });
    await runIn(runtime, fine, { input });
    const [first] = listPids(runtime);
    await until(() => first !== undefined && !isAlive(first));
    expect(requireOutputs(await runIn(runtime, fine, { input }))).toEqual({ sum: 3 });
  });

  test('none outlives a parent that was killed, whatever its nodes are doing', async () => {
    const program = `
      import { createRuntime } from '#workers/runtime/runtime.ts';
      import { executing, runIn } from '#test/workers/runtime/harness.ts';
      const runtime = await createRuntime();
      void runIn(runtime, executing('while (true);'), { timeoutMs: 30_000 });
      setInterval(() => {
        const [child] = runtime.stats().children;
        if (child?.inFlight === 1) console.log(child.pid);
      }, 20);`;
    const parent = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program]);
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const child = Number(line.toString().split('\n')[0]);
    expect(isAlive(child)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !isAlive(child));
  });

  test('none is left after close, and running executions get an outcome', async () => {
    const runtime = await start();
    const outcomes = [forever, hang].map((code, index) =>
      runIn(runtime, code, { owner: `tenant-${index}`, timeoutMs: 30_000 }),
    );
    await until(() => runtime.stats().children.filter((child) => child.inFlight === 1).length === 2);
    const pids = listPids(runtime);
    await runtime.close();
    expect(pids.filter(isAlive)).toEqual([]);
    for (const outcome of await Promise.all(outcomes))
      expect(outcome).toMatchObject({ kind: 'unavailable', error: { code: 'RUNTIME_CLOSED' } });
    expect(await runIn(runtime, fine)).toMatchObject({ kind: 'unavailable', error: { code: 'RUNTIME_CLOSED' } });
  });
});
