import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyText } from '#test/setup/any-text.ts';
import { createRuntime } from '#workers/runtime/runtime.ts';
import type { Runtime } from '#workers/runtime/runtime.ts';
import { executing, requireOutputs, runIn } from './harness.ts';

let runtime: Runtime;
beforeAll(async () => {
  runtime = await createRuntime();
});
afterAll(() => runtime.close());

const evaluate = async (body: string, inputs: Record<string, unknown> = {}): Promise<Record<string, unknown>> =>
  requireOutputs(await runIn(runtime, executing(body), { input: { inputs } }));

const text = anyText({ maxLength: 60 });

test('TextEncoder and TextDecoder agree with Node on any text and any bytes', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.uint8Array({ maxLength: 60 }), async (some, bytes) => {
      const got = await evaluate(
        `return { bytes: [...new TextEncoder().encode(ctx.inputs.some)], text: new TextDecoder().decode(new Uint8Array(ctx.inputs.bytes)) };`,
        { some, bytes: [...bytes] },
      );
      expect(got).toEqual({ bytes: [...new TextEncoder().encode(some)], text: new TextDecoder().decode(bytes) });
    }),
    { numRuns: 100 },
  );
});

test('atob and btoa agree with Node', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
      const latin1 = Buffer.from(bytes).toString('latin1');
      const got = await evaluate('return { to: btoa(ctx.inputs.latin1), back: atob(btoa(ctx.inputs.latin1)) };', {
        latin1,
      });
      expect(got).toEqual({ to: btoa(latin1), back: latin1 });
    }),
    { numRuns: 50 },
  );
  expect(await evaluate('try { atob("a"); } catch (error) { return { name: error.name }; }')).toEqual({
    name: 'RangeError',
  });
});

test('URLSearchParams agrees with Node', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, text), { maxLength: 5 }), text, async (pairs, query) => {
      const got = await evaluate(
        `return { made: new URLSearchParams(ctx.inputs.pairs).toString(), read: [...new URLSearchParams(ctx.inputs.query)] };`,
        { pairs, query },
      );
      expect(got).toEqual({ made: new URLSearchParams(pairs).toString(), read: [...new URLSearchParams(query)] });
    }),
    { numRuns: 100 },
  );
});

test('URL parses, resolves, changes and refuses like Node', async () => {
  const body = `
    const url = new URL(ctx.inputs.href, ctx.inputs.base);
    url.searchParams.append('q', 'a b&c');
    url.hash = 'end';
    url.port = '8080';
    return { href: url.href, json: JSON.stringify({ url }), q: url.searchParams.get('q'), origin: url.origin, can: URL.canParse('no') };`;
  const expected = new URL('../x?y=ä', 'https://user:pw@EXAMPLE.com/a/b');
  expected.searchParams.append('q', 'a b&c');
  expected.hash = 'end';
  expected.port = '8080';
  expect(await evaluate(body, { href: '../x?y=ä', base: 'https://user:pw@EXAMPLE.com/a/b' })).toEqual({
    href: expected.href,
    json: JSON.stringify({ url: expected }),
    q: 'a b&c',
    origin: 'https://example.com:8080',
    can: false,
  });
  expect(
    await evaluate('try { new URL("nowhere"); } catch (error) { return { code: error.code, name: error.name }; }'),
  ).toEqual({
    code: 'ERR_INVALID_URL',
    name: 'TypeError',
  });
});

test('structuredClone copies cycles, collections and bytes, and refuses functions', async () => {
  const body = `
    const from = { date: new Date(5), map: new Map([['k', new Set([1])]]), bytes: new Uint8Array([1, 2]), list: [1, , 3] };
    from.self = from;
    const copy = structuredClone(from);
    let refused = '';
    try { structuredClone({ f() {} }); } catch (error) { refused = error.name; }
    return { cyclic: copy.self === copy && copy !== from, date: copy.date.getTime(), set: [...copy.map.get('k')], bytes: [...copy.bytes],
      own: copy.map !== from.map, holes: 1 in copy.list, length: copy.list.length, refused };`;
  expect(await evaluate(body)).toEqual({
    cyclic: true,
    date: 5,
    set: [1],
    bytes: [1, 2],
    own: true,
    holes: false,
    length: 3,
    refused: 'TypeError',
  });
});

test('crypto gives random identifiers and bytes', async () => {
  const got = await evaluate(
    'return { a: crypto.randomUUID(), b: crypto.randomUUID(), bytes: [...crypto.getRandomValues(new Uint8Array(32))] };',
  );
  expect(got['a']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(got['a']).not.toBe(got['b']);
  expect(new Set(got['bytes'] as number[]).size).toBeGreaterThan(10);
});

test('timers fire in order, can be cleared, and a pending one does not delay the result', async () => {
  // The execution's own time would be over before the longest of them.
  const got = await evaluate(`
    const seen = [];
    setTimeout((value) => seen.push(value), 20, 'later');
    setTimeout(() => seen.push('sooner'), 1);
    clearTimeout(setTimeout(() => seen.push('never'), 5));
    setTimeout(() => {}, 60_000);
    await new Promise((resolve) => setTimeout(resolve, 60));
    return { seen };`);
  expect(got).toEqual({ seen: ['sooner', 'later'] });
});

test('console writes to the log', async () => {
  const outcome = await runIn(
    runtime,
    executing('console.log("a", { b: 1 }, null, undefined); console.error(new Error("boom")); return {};'),
  );
  expect(outcome.logs).toMatchObject([{ level: 'info', message: 'a {"b":1} null undefined' }, { level: 'error' }]);
  expect(outcome.logs[1]?.message).toContain('boom');
});
