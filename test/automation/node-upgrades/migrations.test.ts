import { describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { listUpgrades } from './upgrade-documents.ts';

const migrating = (body: string): string =>
  `export const execute = () => ({}); export function migrate(config, fromVersion) { ${body} }`;

/** The code of version 2.0.0 of each node. */
const codes = {
  renames: migrating('const { old, ...rest } = config; return { ...rest, text: old };'),
  promises: `export const execute = () => ({});
    export const migrate = async (config, fromVersion) => { await null; return { text: fromVersion }; };`,
  plain: 'export const execute = () => ({});',
  undefined: 'export const execute = () => ({}); export const migrate = undefined;',
  forgets: migrating('return {};'),
  looks: migrating(
    'return { text: [arguments.length, ...["fetch", "process", "require", "WebSocket"].map((name) => typeof globalThis[name])].join(" ") };',
  ),
  pollutes: migrating(
    'Object.prototype.polluted = 1; Array.prototype.map = null; JSON.stringify = () => "7"; Promise.prototype.then = null; return { text: "mine" };',
  ),
  proto: migrating(
    `return JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "text": "t"}');`,
  ),
  loops: migrating('for (;;) {}'),
  never: migrating('return new Promise(() => {});'),
  large: migrating('return { text: "x".repeat(3_000_000) };'),
  fills: migrating('const all = []; for (;;) all.push(new Array(10_000_000).fill(config));'),
  throws: migrating('throw Object.assign(new Error("No such field: " + "x".repeat(9_000)), { code: "NO_FIELD" });'),
  throwsNothing: migrating('throw undefined;'),
  throwsGetter: migrating('throw { get message() { throw 1; } };'),
  null: migrating('return null;'),
  nothing: migrating(''),
  text: migrating('return "{}";'),
  list: migrating('return [];'),
  function: migrating('return () => {};'),
  cyclic: migrating('config.self = config; return config;'),
  bigint: migrating('return { text: 1n };'),
  deep: migrating('let deep = {}; for (let i = 0; i < 100; i += 1) deep = { deep }; return deep;'),
  nul: migrating('return { text: "a\\u0000b" };'),
  surrogate: migrating('return { text: "\\ud800" };'),
  longKey: migrating('return { ["k".repeat(200)]: 1 };'),
  noFunction: 'export const execute = () => ({}); export const migrate = 5;',
  topLevel:
    'throw new Error("It does not load."); export const execute = () => ({}); export const migrate = () => ({});',
};
type Name = keyof typeof codes;
const slugName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  const register = (version: string, code: (name: Name) => string) =>
    registerNodePackage(api.deps, {
      orgId: 'acme',
      archive: packageArchive({
        name: 'mig',
        version,
        namespace: 'mig',
        nodes: (Object.keys(codes) as Name[]).map((name) => ({
          name: slugName(name),
          version,
          code: code(name),
          manifest: { config: [{ key: 'text', type: 'string', required: version === '2.0.0' }] },
        })),
      }),
    });
  await register('1.0.0', () => 'export const execute = () => ({});');
  await register('2.0.0', (name) => codes[name]);
});

interface Upgrade {
  path: string;
  state: string;
  issues: object[];
  migration: { config: object; changes: object[]; issues: object[]; error: { code: string; message: string } } | null;
}

async function preview(nodes: [id: string, name: Name, config: object][]): Promise<Upgrade[]> {
  const blob = {
    version: 'v1',
    nodes: nodes.map(([id, name, config]) => ({ id, node: `mig:${slugName(name)}`, version: '^1.0.0', config })),
    edges: [],
  };
  const { id } = await api.database.withTenant('acme-shop', (tx) =>
    tx.workflow.create({ data: { tenantId: 'acme-shop', name: crypto.randomUUID(), blob }, select: { id: true } }),
  );
  const fields =
    'path state issues { code field } migration { config changes { path from to } issues { code field } error { code message } }';
  const { data, errors } = await api.graphql<{ nodeUpgrades: { edges: { node: Upgrade }[] } }>(listUpgrades(fields), {
    id: Number(id),
  });
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.nodeUpgrades.edges.map((edge) => edge.node);
}
const previewOne = async (name: Name, config: object = { text: 'a' }) => (await preview([['a', name, config]]))[0];

describe('a migration', () => {
  test('makes a config valid, and keeps its expressions as text', async () => {
    const old = '{{ nodes.a.outputs.x & secrets.TOKEN }}';
    expect(await previewOne('renames', { old })).toEqual({
      path: 'a',
      state: 'READY',
      issues: [{ code: 'REQUIRED', field: 'config.text' }],
      migration: {
        config: { text: old },
        changes: [
          { path: 'config.old', from: old, to: null },
          { path: 'config.text', from: null, to: old },
        ],
        issues: [],
        error: null,
      },
    });
  });

  test('may be asynchronous, and is told the version that the config was made for', async () => {
    expect(await previewOne('promises')).toMatchObject({ state: 'READY', migration: { config: { text: '1.0.0' } } });
  });

  test.each(['plain', 'undefined'] as const)('is null for a module that exports none: %s', async (name) => {
    expect(await previewOne(name)).toMatchObject({ state: 'READY', migration: null });
    expect(await previewOne(name, {})).toMatchObject({ state: 'INVALID', migration: null });
  });

  test('is checked: what it returns may be invalid', async () => {
    expect(await previewOne('forgets')).toMatchObject({
      state: 'INVALID',
      issues: [],
      migration: { config: {}, issues: [{ code: 'REQUIRED', field: 'config.text' }], error: null },
    });
  });

  test('reaches nothing: it has no ctx, and no globals beyond the language', async () => {
    expect(await previewOne('looks')).toMatchObject({
      migration: { config: { text: '2 undefined undefined undefined undefined' } },
    });
  });

  test('cannot change built-ins of anything but its own context, nor a prototype by what it returns', async () => {
    const [first, second, third] = await preview([
      ['a', 'pollutes', { text: 'a' }],
      ['b', 'proto', { text: 'a' }],
      ['c', 'renames', { old: 'o' }],
    ]);
    expect(first).toMatchObject({ migration: { config: { text: 'mine' } } });
    expect(second?.migration?.config).toEqual({ constructor: { prototype: { polluted: 1 } }, text: 't' });
    expect(third).toMatchObject({ migration: { config: { text: 'o' } } });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test.each<[Name, string, RegExp]>([
    ['never', 'TIMEOUT', /did not finish in \d+ ms/],
    ['large', '(OUTPUT_TOO_LARGE|MEMORY_LIMIT)', /characters|memory/],
    ['fills', '(MEMORY_LIMIT|TIMEOUT)', /more than \d+ MiB|did not finish/],
    ['throws', 'NO_FIELD', /^No such field: x{1985}$/],
    ['throwsNothing', 'NODE_THREW', /threw undefined/],
    ['throwsGetter', 'NODE_THREW', /cannot be read/],
    ['null', 'INVALID_RESULT', /must return the config/],
    ['nothing', 'INVALID_RESULT', /must return the config/],
    ['text', 'INVALID_RESULT', /must return the config/],
    ['list', 'INVALID_RESULT', /must return the config/],
    ['function', 'INVALID_RESULT', /not JSON/],
    ['cyclic', 'INVALID_RESULT', /not JSON/],
    ['bigint', 'INVALID_RESULT', /not JSON/],
    ['deep', 'INVALID_RESULT', /nests at most 64 levels/],
    ['nul', 'INVALID_RESULT', /NUL characters/],
    ['surrogate', 'INVALID_RESULT', /lone surrogates/],
    ['longKey', 'INVALID_RESULT', /must return the config/],
    ['noFunction', 'NOT_A_FUNCTION', /exports migrate, which is no function/],
    ['topLevel', 'LOAD_FAILED', /It does not load/],
  ])('that is hostile is reported, and nothing else suffers: %s', async (name, code, message) => {
    const [hostile, fine] = await preview([
      ['a', name, { text: 'a' }],
      ['b', 'renames', { old: 'o' }],
    ]);
    expect(hostile).toEqual({
      path: 'a',
      state: 'MIGRATION_FAILED',
      issues: [],
      migration: {
        config: null,
        changes: [],
        issues: [],
        error: { code: expect.stringMatching(new RegExp(`^${code}$`)), message: expect.stringMatching(message) },
      },
    });
    expect(fine).toMatchObject({ state: 'READY' });
  });

  test('that loops is stopped, and all of a request together after 20 seconds', async () => {
    const loops = ['a', 'b', 'c', 'd', 'e', 'f'].map((id): [string, Name, object] => [id, 'loops', {}]);
    const startedAt = performance.now();
    const upgrades = await preview(loops);
    // Four of 5 s each, then none; a slow machine stops them later.
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(upgrades.map(({ migration }) => migration?.error.code)).toEqual(loops.map(() => 'TIMEOUT'));
    expect(upgrades.at(-1)?.migration?.error.message).toMatch(/ask for fewer nodes/);
  });
});
