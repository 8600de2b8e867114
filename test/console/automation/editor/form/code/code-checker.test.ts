import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ScopeEntry } from '#console/automation/editor/expressions/completions.ts';
import { type ScopeSample, writeScope } from '#console/automation/editor/form/code/types/scope-types.ts';
import { productDir } from '#src/console/build-inputs.ts';
import { makeChecker } from './checker.ts';

const checker = makeChecker();

const entry = (path: string, type: ScopeEntry['type'], more: Partial<ScopeEntry> = {}): ScopeEntry => ({
  path,
  name: path.split('.').at(-1) ?? '',
  depth: path.split('.').length - 1,
  type,
  sample: null,
  hasMore: false,
  isDeclared: false,
  ...more,
});

const sample: ScopeSample = {
  entries: [
    entry('trigger', 'OBJECT'),
    entry('trigger.payload', 'OBJECT'),
    entry('trigger.type', 'STRING'),
    entry('nodes', 'OBJECT'),
    entry('nodes.get-it', 'OBJECT'),
    entry('nodes.get-it.outputs', 'OBJECT'),
    entry('nodes.get-it.outputs.rows', 'ARRAY'),
    entry('nodes.get-it.outputs.rows[0]', 'OBJECT'),
    entry('nodes.get-it.outputs.rows[0].`a b`', 'STRING'),
    entry('nodes.get-it.outputs.rows[0].count', 'NUMBER'),
    entry('nodes.get-it.outputs.declared', null, { isDeclared: true }),
    entry('run', 'OBJECT'),
    entry('run.id', 'STRING'),
    entry('secrets.KEY', 'STRING'),
  ],
  values: new Map<string, unknown>([
    [
      'trigger.payload',
      {
        lines: [
          { sku: 'A', qty: 2 },
          { sku: 'B', note: null },
        ],
        total: 10,
        line1: 'x',
      },
    ],
  ]),
  config: { limit: '{{ 50 + 50 }}', word: 'x' },
  inputs: ['get-it', 'unknown-node'],
};
const scope = writeScope(sample);

const words = (text: string): unknown[] => checker.faults({ text, scope }).map((fault) => fault.text);

test('the example of the documentation has no faults', () => {
  const docs = readFileSync(join(productDir, 'docs/workflows.md'), 'utf8');
  const [, code = ''] = /### Code\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(docs) ?? [];
  expect(code).toContain('trigger.payload.lines.filter');
  expect(words(code)).toEqual([]);
  expect(words(code.replace('payload.lines', 'payload.total'))).toHaveLength(1);
});

test.each([
  ['trigger.payload.total.foo;', ["Property 'foo' does not exist on type 'number'."]],
  ['trigger.payload.lnes;', [{ missing: 'lnes', meant: 'lines' }]],
  ['trigger.payload.lines[0].qty.toFixed();', ["Object is possibly 'undefined'."]],
  ['nodes["get-it"].outputs.rows[0].count.trim();', ["Property 'trim' does not exist on type 'number'."]],
  ['inputs["get-it"].rows[0]["a b"].x;', ["Property 'x' does not exist on type 'string'."]],
  ['values.word.x;', ["Property 'x' does not exist on type 'string'."]],
  ['return "text";', [`Type '"text"' is not assignable to type 'Outputs'.`]],
  ['(await http({ url: "x" })).text;', ["Property 'text' does not exist on type 'HttpResponse'."]],
  ['(await state.get("a", "b")).value;', ["Object is possibly 'null'."]],
  [
    'const made: { a: string } = {}; return made;',
    ["Property 'a' is missing in type '{}' but required in type '{ a: string; }'."],
  ],
  ['document.title; item;', ["Cannot find name 'document'.", "Cannot find name 'item'."]],
])('%s has faults', (text, faults) => {
  expect(words(text)).toEqual(faults);
});

test.each([
  'return trigger.payload.somethingElse;',
  'const { somethingElse } = trigger.payload;',
  'return trigger.payload.line2;',
  'interface Order { id: string } const order: Order = trigger.payload; return order;',
  'const send = (lines: { other: string }[]) => lines; send(trigger.payload.lines);',
  'trigger.payload.lines.filter((line: { sku: string; other: number }) => line.other > 0);',
  'return nodes.other.outputs.x ?? nodes["get-it"].outputs.declared.x;',
  'return values.limit.x ?? inputs["unknown-node"].x;',
  'for (const { note } of trigger.payload.lines) note.x;',
  'const all = []; all.push(1); const made = {}; made.total = 1; return made;',
  'const add = (a, b) => a + b; return { sum: add(1, 2) };',
  'try { throw new Error("x"); } catch (error) { log.info(error.message); }',
  'console.log(new URL("https://a").searchParams.get("x"), btoa("x"), crypto.randomUUID(), structuredClone({}));',
  'return { rows: Object.groupBy([1], (x) => String(x)), all: new Set([1]).union(new Set([2])) };',
  'await files.text({ file: "x" }); signal.throwIfAborted(); return { idempotencyKey };',
  'delete trigger.payload.total;',
  'let syntax = ;',
])('%s has none', (text) => {
  expect(words(text)).toEqual([]);
});

test('without a sample, anything may be in scope', () => {
  const unknown = writeScope({ entries: [], values: new Map(), config: undefined, inputs: [] });
  const text = 'return { a: trigger.a.b, b: nodes.a.b, c: item.a, d: index, e: inputs.a.b, f: values.x, g: run.id };';
  expect(checker.faults({ text, scope: unknown })).toEqual([]);
});

test('offers the members of a value, and what the code declares', () => {
  const offered = (text: string) => {
    const { areMembers, offered: found } = checker.offers({ text, scope }, text.length);
    return { areMembers, names: found.map(({ name }) => name) };
  };
  expect(offered('trigger.payload.lines[0].')).toEqual({ areMembers: true, names: ['note', 'qty', 'sku'] });
  expect(offered('const parts = "a b".split(" "); parts.').names).toContain('flatMap');
  expect(offered('const own = 1; const sum = (x: number) => x; ')).toEqual({
    areMembers: false,
    names: ['own', 'sum'],
  });
  const text = 'nodes["get-it"].outputs.rows[0].';
  expect(checker.offers({ text, scope }, text.length).offered).toContainEqual({
    name: 'a b',
    replaces: { from: text.length - 1, to: text.length, insert: '["a b"]' },
  });
});

test('tells the type of what is at a place', () => {
  expect(checker.typeAt({ text: 'const n = trigger.payload.total;', scope }, 6)).toEqual({
    from: 6,
    to: 7,
    text: 'const n: number',
  });
});
