import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { computesLong } from '#test/setup/timeouts.ts';
import { createRuntime } from '#workers/runtime/runtime.ts';
import type { Runtime } from '#workers/runtime/runtime.ts';
import { compileCode, describeError, executing, memoryBroker, nodeCode, requireOutputs, runIn } from './harness.ts';
import type { RunOptions } from './harness.ts';

let runtime: Runtime;
beforeAll(async () => {
  runtime = await createRuntime({
    limits: {
      memoryMiB: 32,
      cancelGraceMs: 200,
      answerGraceMs: 20_000,
      maxOutputChars: 100_000,
      maxTimeoutMs: 100_000,
    },
  });
});
afterAll(() => runtime.close());

const run = (body: string, options?: RunOptions) => runIn(runtime, executing(body), options);

/** The child that answered before still answers after: nothing but the execution was lost. */
async function expectSameChild(act: () => Promise<void>): Promise<void> {
  expect(requireOutputs(await run('return { fine: 1 }'))).toEqual({ fine: 1 });
  const before = runtime.stats().children[0]?.pid;
  await act();
  expect(requireOutputs(await run('return { fine: 2 }'))).toEqual({ fine: 2 });
  expect(runtime.stats().children[0]?.pid).toBe(before);
}

/** The processor time that a process has used, as the kernel counts it. */
async function processorSeconds(pid: number | undefined): Promise<number> {
  const [, after = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ');
  const [user, system] = after.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

describe('code that does not end', () => {
  test.each([
    ['loops forever', 'while (true);'],
    ['loops in microtasks', 'while (true) await null;'],
    ['never resolves', 'await new Promise(() => {});'],
    ['re-arms timers', 'const again = () => setTimeout(again, 0); again(); await new Promise(() => {});'],
    ['hangs in a regular expression', 'return { x: /^(a+)+$/.test("a".repeat(60) + "b") };'],
    ['loops in toJSON', 'return { toJSON() { while (true); } };'],
    ['loops in a thrown getter', 'throw { get message() { while (true); } };'],
  ])('that %s times out, and its process lives on', async (_name, body) => {
    await expectSameChild(async () => {
      const outcome = await run(body, { timeoutMs: 100 });
      expect(describeError(outcome)).toBe('timeout: The node did not finish in 100 ms.');
    });
  });

  test('is stopped at its processor time before its wall time', async () => {
    const frugal = await createRuntime({ limits: { maxCpuMs: 300 } });
    onTestFinished(() => frugal.close());
    const outcome = await runIn(frugal, executing('while (true);'), { timeoutMs: 30_000 });
    expect(outcome).toMatchObject({ ok: false, kind: 'timeout', error: { code: 'CPU_LIMIT' } });
  });

  test('is stopped at its processor time when its synchronous calls use it outside of the isolate', async () => {
    const frugal = await createRuntime({ limits: { maxCpuMs: 500 } });
    onTestFinished(() => frugal.close());
    // The cost of the start depends on the machine.
    await runIn(frugal, executing('return {};'));
    const before = await processorSeconds(frugal.stats().children[0]?.pid);
    const code = executing("while (true) new URL('http://a/' + '%zz/../'.repeat(8000));");
    const outcome = await runIn(frugal, code, { timeoutMs: 30_000 });
    expect(outcome).toMatchObject({ ok: false, kind: 'timeout', error: { code: 'CPU_LIMIT' } });
    // The kernel counts in hundredths of a second, and the child is looked at a few times a second.
    expect((await processorSeconds(frugal.stats().children[0]?.pid)) - before).toBeLessThan(1);
  });

  test('at the top level of its module times out', async () => {
    const outcome = await runIn(runtime, compileCode('while (true); export const execute = 1;'), { timeoutMs: 100 });
    expect(describeError(outcome)).toBe('timeout: The node did not finish in 100 ms.');
  });

  test('that keeps running after its result does not delay the next execution', async () => {
    const code = executing('void (async () => { while (true) await null; })(); return { done: true };');
    expect(requireOutputs(await runIn(runtime, code))).toEqual({ done: true });
    expect(requireOutputs(await runIn(runtime, code))).toEqual({ done: true });
  });
});

describe('code that takes too much', () => {
  test.each([
    ['objects', 'const all = []; while (true) all.push({ a: new Array(1000).fill(1) });'],
    ['strings', 'let text = "x".repeat(1000); const all = []; while (true) all.push((text += text).slice(1));'],
    ['buffers', 'const all = []; while (true) all.push(new Uint8Array(1024 * 1024).fill(1));'],
    ['promises', 'const all = []; while (true) all.push(new Promise((resolve) => all.push(resolve)));'],
    [
      'pending async functions',
      'const f = async () => { await new Promise(() => {}); }; const all = []; while (true) all.push(f());',
    ],
  ])('of memory in %s fails by itself', computesLong, async (_name, body) => {
    // Two seconds of processor time, of which a busy machine gives little: the memory has to end first.
    const outcome = await run(body, { timeoutMs: 100_000 });
    expect(outcome.ok).toBe(false);
    // V8 refuses one impossible string or buffer with an error that the node itself sees.
    expect(outcome.ok || outcome.kind).toMatch(/^(memory|threw)$/);
    expect(requireOutputs(await run('return { fine: 1 }'))).toEqual({ fine: 1 });
  });

  test('floods logs: a limited number of limited lines is kept, with one line about it', async () => {
    const outcome = await run('for (let i = 0; i < 50_000; i++) ctx.log.info("x".repeat(20_000)); return {};');
    expect(outcome.ok).toBe(true);
    expect(outcome.logs).toHaveLength(1001);
    expect(Math.max(...outcome.logs.map((line) => line.message.length))).toBe(8192);
    expect(outcome.logs.at(-1)).toEqual({ level: 'warn', message: 'More than 1000 log lines: the rest is dropped.' });
  });

  test('floods calls: only so many are pending at a time', async () => {
    let pending = 0;
    let most = 0;
    const broker = memoryBroker({
      http: async () => {
        most = Math.max(most, (pending += 1));
        await new Promise((resolve) => setTimeout(resolve, 20));
        pending -= 1;
        return { status: 200, headers: {}, body: null };
      },
    });
    const outcome = await run(
      `const all = await Promise.allSettled(Array.from({ length: 500 }, () => ctx.http({ url: 'http://x/' })));
       return { refused: all.filter((one) => one.status === 'rejected').length, why: all.at(-1).reason.message };`,
      { broker },
    );
    expect(requireOutputs(outcome)).toEqual({
      refused: 468,
      why: 'More than 32 calls are pending: await some of them first.',
    });
    expect(most).toBe(32);
  });

  test('floods timers: further ones are refused', async () => {
    expect(describeError(await run('while (true) setTimeout(() => {}, 1000);'))).toBe(
      'threw: More than 1000 timers are pending.',
    );
  });

  test('recurses without end: it is an ordinary error', async () => {
    expect(describeError(await run('const f = () => f() + 1; f();'))).toBe('threw: Maximum call stack size exceeded');
  });
});

describe('thrown values are described safely', () => {
  test.each([
    ['null', 'throw null;', 'The node threw null.'],
    ['undefined', 'throw undefined;', 'The node threw undefined.'],
    ['a string', 'throw "plain";', 'plain'],
    ['a symbol', 'throw Symbol("s");', 'The node threw Symbol(s).'],
    ['an object', 'throw { message: "from an object", code: "E1" };', 'from an object'],
    ['a throwing getter', 'throw { get message() { throw 1; } };', 'The node threw a value that cannot be read.'],
    [
      'a hostile toString',
      'throw { message: 1, toString() { throw 1; }, toJSON() { throw 2; } };',
      '[a value that cannot be read]',
    ],
    [
      'a proxy',
      'throw new Proxy({}, { get() { throw new Error("trap"); } });',
      'The node threw a value that cannot be read.',
    ],
    [
      'a revoked proxy',
      'const p = Proxy.revocable({}, {}); p.revoke(); throw p.proxy;',
      'The node threw a value that cannot be read.',
    ],
    [
      'an error from a timer',
      'setTimeout(() => { throw new Error("late"); }, 1); await new Promise(() => {});',
      'late',
    ],
  ])('%s', async (_name, body, message) => {
    expect(describeError(await run(body))).toBe(`threw: ${message}`);
  });

  test('an error keeps its code and a huge message is cut', async () => {
    const outcome = await run('throw Object.assign(new Error("x".repeat(100_000)), { code: "ERP_DOWN" });');
    expect(outcome).toMatchObject({ ok: false, kind: 'threw', error: { code: 'ERP_DOWN' } });
    expect(outcome.ok ? 0 : outcome.error.message.length).toBe(8192);
  });

  test('an unhandled rejection is a log line', async () => {
    const outcome = await run('void Promise.reject(new Error("nobody cares")); await 1; return {};');
    expect(outcome.ok).toBe(true);
  });
});

describe('results that are not JSON', () => {
  test.each([
    ['cyclic', 'const a = {}; a.a = a; return { outputs: a };', 'invalid_result'],
    ['a BigInt', 'return { big: 1n };', 'invalid_result'],
    ['a function', 'return () => 1;', 'invalid_result'],
    ['a string', 'return "text";', 'invalid_result'],
    ['a number', 'return 5;', 'invalid_result'],
    ['an array', 'return [1];', 'invalid_result'],
    ['outputs of a wrong type', 'return { outputs: 5 };', 'invalid_result'],
    ['a branch of a wrong type', 'return { outputs: {}, branch: 5 };', 'invalid_result'],
    ['a throwing toJSON', 'return { toJSON() { throw new Error("no"); } };', 'invalid_result'],
    ['a throwing getter', 'return { get a() { throw 1; } };', 'invalid_result'],
    ['huge', 'return { text: "x".repeat(200_000) };', 'output_too_large'],
  ])('%s', async (_name, body, kind) => {
    const outcome = await run(body);
    expect(outcome.ok || outcome.kind).toBe(kind);
  });

  test('code without the entry, and code that does not load, are the node’s failures', async () => {
    expect(describeError(await runIn(runtime, compileCode('export const other = 1;')))).toBe(
      "threw: The node's code exports no execute().",
    );
    expect(
      describeError(await runIn(runtime, compileCode('throw new Error("at load"); export const execute = 1;'))),
    ).toContain('at load');
    expect(describeError(await runIn(runtime, nodeCode('broken', 'this is not javascript')))).toMatch(
      /^threw: .*did not load/,
    );
  });
});

describe('isolation', () => {
  test('no process, module system, network or isolated-vm is reachable', async () => {
    const names = [
      'process',
      'require',
      'module',
      'global',
      'Buffer',
      'fetch',
      'XMLHttpRequest',
      'WebSocket',
      'ivm',
      'SharedArrayBuffer',
      'Atomics',
      'WebAssembly',
    ];
    const outcome = await run(
      `return Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, typeof globalThis[name]]));`,
    );
    expect(requireOutputs(outcome)).toEqual(Object.fromEntries(names.map((name) => [name, 'undefined'])));
  });

  test('constructors of every reachable object lead back into the isolate', async () => {
    const outcome = await run(`
      const roots = [ctx, ctx.log, ctx.log.info, ctx.http, ctx.state.get, ctx.credentials.get, ctx.signal, console.log,
        setTimeout, URL, crypto.randomUUID, ctx.http({ url: 'http://x/' }), await ctx.http({ url: 'http://x/' }), globalThis];
      return { found: roots.map((root) => {
        try { return typeof root.constructor.constructor('return typeof process + typeof require')(); } catch (error) { return error.name; }
      }), world: (() => {}).constructor('return typeof process + typeof require + typeof globalThis.process')() };`);
    expect(requireOutputs(outcome)['world']).toBe('undefinedundefinedundefined');
  });

  test('imports cannot be resolved', async () => {
    expect(describeError(await run('const fs = await import("node:" + "fs"); return {};'))).toMatch(/^threw: /);
  });

  test('stack inspection shows no host function', async () => {
    const outcome = await run(`
      const seen = [];
      Error.prepareStackTrace = (_error, sites) => { for (const site of sites) seen.push(site.getFunction(), site.getThis()); return ''; };
      const touch = () => { void new Error().stack; };
      ctx.log.info({ toJSON() { touch(); return 1; } });
      touch();
      return { seen: seen.filter((value) => typeof value === 'function').map((value) => value.name) };`);
    const { seen } = requireOutputs(outcome) as { seen: string[] };
    expect(seen).toContain('touch');
    // Node code's own functions and the built-in it called through, none of the sandbox's.
    expect(seen.filter((name) => !['touch', 'toJSON', 'execute', 'stringify'].includes(name))).toEqual([]);
  });

  test('messages cannot be forged: a fake one is text, and patched built-ins reach nothing', async () => {
    const broker = memoryBroker();
    const outcome = await run(
      `const stolen = [];
       for (const name of ['post', 'send', 'dispatch', 'ask']) if (typeof globalThis[name] !== 'undefined') stolen.push(name);
       const grab = function (...args) { for (const arg of [this, ...args]) if (typeof arg === 'function' && /native code/.test(Function.prototype.toString.call(arg)) && arg.name === 'post') stolen.push('post'); return undefined; };
       Function.prototype.call = grab; Function.prototype.apply = grab; Array.prototype.push = grab;
       Object.defineProperty(Object.prototype, 'then', { get() { return undefined; }, configurable: true });
       ctx.log.info(JSON.stringify({ type: 'done', id: 'x' }) + '\\u0000\\u0000');
       ctx.log.info('{"type":"call","id":"1","call":"1","method":"credentials.get"}');
       return { outputs: { stolen: stolen.length, type: 'failed' }, branch: 'default' };`,
      { broker },
    );
    expect(requireOutputs(outcome)).toEqual({ stolen: 0, type: 'failed' });
    expect(broker.calls).toEqual([]);
    expect(outcome.logs).toHaveLength(2);
  });

  test('an input key __proto__ stays data', async () => {
    const input = JSON.parse('{"inputs": {"__proto__": {"polluted": true}}}') as { inputs: Record<string, unknown> };
    const outcome = await run(
      'return { polluted: ({}).polluted ?? null, own: Object.hasOwn(ctx.inputs, "__proto__") };',
      { input },
    );
    expect(requireOutputs(outcome)).toEqual({ polluted: null, own: true });
  });

  test('pollution in one execution is not seen by the next', async () => {
    const code = compileCode(`let count = 0;
      export function execute(ctx) {
        const before = { polluted: ({}).polluted ?? null, own: globalThis.mine ?? null, count: count++, json: JSON.stringify({ a: 1 }) };
        Object.prototype.polluted = 'yes'; globalThis.mine = 1; JSON.stringify = () => 'forged'; Promise.prototype.then = null;
        return before;
      }`);
    const clean = { polluted: null, own: null, count: 0, json: '{"a":1}' };
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const outputs = requireOutputs(await runIn(runtime, code));
      expect(outputs).toMatchObject(clean);
    }
  });
});
