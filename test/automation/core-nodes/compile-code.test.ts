import { describe, expect, test } from 'vitest';
import { compileCode } from '#src/automation/core-nodes/code/compile-code.ts';

const compiled = async (text: string) => {
  const made = await compileCode(text);
  if (!made.ok) throw new Error(JSON.stringify(made.faults));
  return made.code;
};

describe('code that does not compile is refused at its place', () => {
  test.each([
    ['a missing brace', 'const a = 1;\nreturn { a', 'The code ends too early', 2, 11],
    ['a second declaration', 'let a = 1;\nlet a = 2;', 'already been declared', 2, 5],
    ['an import', 'const a = 1;\nimport b from "b";', 'no imports or exports', 2, 8],
    ['an export', 'export default 1;', 'no imports or exports', 1, 1],
    ['braces of an expression', 'return {{ trigger.payload }};', 'Expected identifier', 1, 9],
    ['a text without its end', 'return "a;\n', 'Unterminated string literal', 1, 11],
  ])('%s', async (_name, text, message, line, column) => {
    expect(await compileCode(text)).toEqual({
      ok: false,
      faults: [{ message: expect.stringContaining(message), place: { line, column } }],
    });
  });

  test.each([
    ['a module that is imported while it runs', 'return await import("fs");', 'cannot import modules'],
    ['an end of the function', '}} function other() {{', 'ends the code before its last line'],
    ['an invalid regular expression', 'return /(?<a>.)(?<a>.)/;', 'Invalid regular expression'],
    ['code that is nested too deeply', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'nested too deeply'],
  ])('%s', async (_name, text, message) => {
    expect(await compileCode(text)).toEqual({ ok: false, faults: [{ message: expect.stringContaining(message) }] });
  });
});

test.each([
  ['nothing', 'return {};', [], []],
  ['a member of the trigger', 'return { a: trigger.payload.a };', ['trigger'], []],
  ['nodes by their names', 'return { a: nodes.map.outputs, b: nodes["get-b"]?.outputs };', ['nodes'], ['get-b', 'map']],
  ['a node whose name it computes', 'return { a: nodes[trigger.type] };', ['nodes', 'trigger'], 'all'],
  ['all nodes', 'return { ids: Object.keys(nodes) };', ['nodes'], 'all'],
  ['members of the same names elsewhere', 'const a = { item: 1 };\nreturn { b: a.nodes, c: a.item };', ['item'], []],
])('code that reads %s gets that', async (_name, text, names, nodes) => {
  const { reads } = await compiled(text);
  expect([...reads.names].toSorted()).toEqual(names);
  expect(reads.nodes === 'all' ? 'all' : [...reads.nodes].toSorted()).toEqual(nodes);
});

test('a variable may have the name of something in scope', async () => {
  expect(await compileCode('const item = 1;\nlet log = 2;\nreturn { item, log };')).toMatchObject({ ok: true });
});

test('equal texts are one code, and others are not', async () => {
  const hashes = [
    await compiled('return { a: 1 };'),
    await compiled('return { a: 1 };'),
    await compiled('return { a: 2 };'),
  ];
  expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(2);
});
