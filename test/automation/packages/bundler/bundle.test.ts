import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { bundleLimits, bundleModule } from '#src/automation/packages/bundler/bundle.ts';
import type { Bundle } from '#src/automation/packages/bundler/bundle.ts';

const toFiles = (files: Record<string, string>): Map<string, Buffer> =>
  new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));

const bundle = (files: Record<string, string>, exported: 'execute' | 'test' = 'execute'): Promise<Bundle> =>
  bundleModule(toFiles(files), 'nodes/a.ts', exported);

async function run(files: Record<string, string>, argument: unknown = {}): Promise<unknown> {
  const built = await bundle(files);
  if (!built.ok) throw new Error(JSON.stringify(built.errors));
  const node = runInNewContext(`${built.code};__node`) as { execute(ctx: unknown): unknown };
  return node.execute(argument);
}

const bundleErrors = async (files: Record<string, string>): Promise<string> => {
  const built = await bundle(files);
  expect(built.ok).toBe(false);
  return built.ok ? '' : built.errors.map((error) => error.text).join('\n');
};

/** All concurrently, so that the bundler's process starts once. */
const errorsOfEach = (...packages: Record<string, string>[]): Promise<string[]> =>
  Promise.all(packages.map(bundleErrors));

describe('a module is bundled', () => {
  test('with its own files, including TypeScript, JSON and text', async () => {
    const files = {
      'nodes/a.ts': `import { double } from '../lib/math.js'; import data from './data.json'; import note from './note.txt';
        import { index } from '../lib';
        export const execute = (ctx: { n: number }): object => ({ n: double(ctx.n), data, note, index });`,
      'lib/math.ts': 'export const double = (n: number): number => n * 2;',
      'lib/index.js': 'exports.index = true;',
      'nodes/data.json': '{"a":1}',
      'nodes/note.txt': 'hello',
    };
    expect(await run(files, { n: 21 })).toEqual({ n: 42, data: { a: 1 }, note: 'hello', index: true });
  });

  test('with bundled dependencies by exports, module and main', async () => {
    const files = {
      'nodes/a.ts': `import a from 'with-exports'; import b from '@scope/with-module/sub'; import c from 'with-main'; import d from 'with-exports/features/x.js';
        export const execute = () => [a, b, c, d];`,
      'node_modules/with-exports/package.json': JSON.stringify({
        exports: { '.': { node: './node.js', import: './esm.js' }, './features/*': './f/*' },
      }),
      'node_modules/with-exports/esm.js': 'export default "exports"',
      'node_modules/with-exports/node.js': 'export default "node"',
      'node_modules/with-exports/f/x.js': 'export default "pattern"',
      'node_modules/@scope/with-module/package.json': '{"main":"x.js"}',
      'node_modules/@scope/with-module/sub/index.js': 'import inner from "inner"; export default inner',
      'node_modules/@scope/with-module/node_modules/inner/package.json': '{"main":"lib"}',
      'node_modules/@scope/with-module/node_modules/inner/lib/index.js': 'module.exports = "nested"',
      'node_modules/with-main/package.json': '{"main":"./main"}',
      'node_modules/with-main/main.cjs': 'module.exports = "main"',
    };
    expect(await run(files)).toEqual(['exports', 'nested', 'main', 'pattern']);
  });

  test('with the authoring kit, which the package need not include', async () => {
    const files = {
      'nodes/a.ts': `import { defineNode, NodeError } from '@causeway/node-kit';
        export const { execute } = defineNode({ execute: () => ({ outputs: { code: new NodeError('C', 'm').code } }) });`,
    };
    expect(await run(files)).toEqual({ outputs: { code: 'C' } });
    const built = await bundle(files);
    expect(built.ok && built.code.length).toBeLessThan(2500);
  });

  test('to the same bytes every time, named by their hash', async () => {
    const files = { 'nodes/a.ts': 'export function execute() { return 1 }', 'b.ts': '' };
    const [first, second] = [await bundle(files), await bundle(files)];
    expect(first).toEqual(second);
    expect(first.ok && first.hash).toBe(first.ok && createHash('sha256').update(first.code).digest('hex'));
  });

  test('with its exports beside execute', async () => {
    const built = await bundle({ 'nodes/a.ts': 'export const execute = () => 1; export const resolve = () => 2;' });
    const node = built.ok ? (runInNewContext(`${built.code};__node`) as { resolve(): number }) : undefined;
    expect(node?.resolve()).toBe(2);
  });
});

describe('a bundle stays inside its package', () => {
  test.each([
    ['fs', /Node built-in/],
    ['node:fs', /Node built-in/],
    ['node:child_process', /Node built-in/],
    ['fs/promises', /Node built-in/],
    ['../../../etc/passwd', /leaves the package/],
    ['../../etc/passwd', /leaves the package/],
    ['..', /not in the package/],
    ['/etc/passwd', /absolute/],
    ['file:///etc/passwd', /URL/],
    ['https://example.com/evil.js', /URL/],
    ['data:text/javascript,export default 1', /URL/],
    ['#src/infra/errors.ts', /subpath/],
    ['pg', /not bundled/],
    ['esbuild', /not bundled/],
    ['../node_modules/../../x', /leaves the package/],
    ['..\\\\..\\\\etc', /no path has/],
    ['./missing.ts', /not in the package/],
    ['../package.md', /not in the package/],
  ])('when it imports %s', async (specifier, message) => {
    const errors = await errorsOfEach(
      { 'nodes/a.ts': `import x from '${specifier}'; export const execute = () => x;` },
      { 'nodes/a.ts': `export const execute = () => require('${specifier}');` },
      { 'nodes/a.ts': `export const execute = () => import('${specifier}');` },
    );
    expect(errors).toEqual(Array(3).fill(expect.stringMatching(message)));
  });

  test('when a bundled package points outside of itself', async () => {
    const files = {
      'nodes/a.ts': `import x from 'evil'; export const execute = () => x;`,
      'node_modules/evil/package.json': '{"exports":"./../../secret.js"}',
      'secret.js': 'export default 1',
    };
    expect(await bundleErrors(files)).toMatch(/not exported by/);
  });

  test.each([
    'import(`../../../${name}.json`)',
    'import("../../../etc/" + name)',
    'import(/* why */ ("./" + name))',
    'import("./" + name, { with: { type: "json" } })',
    'require(`./${name}`)',
    'requ\\u0069re("../../" + name)',
    'require /**/ ("../../" + name)',
    'import(name)',
  ])('when the path of an import is computed: %s', async (expression) => {
    const source = `export const execute = ({ name }) => ${expression};`;
    const dependency = { 'nodes/a.ts': `export * from 'dep'`, 'node_modules/dep/package.json': '{"main":"a.js"}' };
    const errors = await errorsOfEach({ 'nodes/a.ts': source }, { ...dependency, 'node_modules/dep/a.js': source });
    expect(errors).toEqual(Array(2).fill(expect.stringMatching(/computed path/)));
  });

  test('when a source is nested too deeply to parse', async () => {
    const source = `import './b.ts'; export const execute = () => ${'('.repeat(20_000)}1${')'.repeat(20_000)};`;
    const built = await bundle({ 'nodes/a.ts': source, 'nodes/b.ts': '' });
    expect(built).toBeDefined();
    const sum = `import './b.ts'; export const execute = () => ${'1+'.repeat(100_000)}name;`;
    expect(await bundleErrors({ 'nodes/a.ts': sum, 'nodes/b.ts': '' })).toMatch(/cannot be read/);
  });

  test('when it names host files in comments or settings', async () => {
    const built = await bundle({
      'nodes/a.ts':
        '/// <reference path="/etc/passwd" />\nexport const execute = () => 1;\n//# sourceMappingURL=/etc/passwd',
      'tsconfig.json': '{"extends":"/etc/passwd"}',
    });
    expect(built.ok && built.code).not.toContain('root:');
    expect(built).toMatchObject({ ok: true });
  });

  test('when it imports a file that is not a module', async () => {
    const files = { 'nodes/a.ts': `import './logo.svg'; export const execute = () => 1;`, 'nodes/logo.svg': '<svg/>' };
    expect(await bundleErrors(files)).toMatch(/is not a module/);
  });
});

describe('a failed bundle says why', () => {
  test('when it crashes the bundler, without affecting other builds', async () => {
    const good = { 'nodes/a.ts': 'export const execute = () => 1;' };
    const deadly = { 'nodes/a.ts': `export const execute = ${'['.repeat(1_000_000)}` };
    // Until it is at its end, which a busy machine reaches later than anybody waits for.
    const unhurried = (files: Record<string, string>) =>
      bundleModule(toFiles(files), 'nodes/a.ts', 'execute', { ...bundleLimits, timeMs: 100_000 });
    const [before, culprit, after] = await Promise.all([bundle(good), unhurried(deadly), bundle(good)]);
    expect(before.ok).toBe(true);
    expect(culprit).toMatchObject({ ok: false, errors: [{ text: expect.stringContaining('nested too deeply') }] });
    expect(after.ok).toBe(true);
  });

  test('with the position of a syntax error', async () => {
    const built = await bundle({ 'nodes/a.ts': 'export const execute = () => {\n  return (;\n};' });
    expect(built).toMatchObject({ ok: false, errors: [{ file: 'nodes/a.ts', line: 2 }] });
  });

  test("when execute, or a credential type's test, is not exported", async () => {
    const source = { 'nodes/a.ts': 'export const run = () => 1;' };
    expect(await bundleErrors(source)).toMatch(/No matching export.*execute/);
    expect(await bundle(source, 'test')).toMatchObject({
      ok: false,
      errors: [{ text: expect.stringContaining('"test"') }],
    });
  });

  test('with at most twenty errors', async () => {
    const imports = Array.from({ length: 100 }, (_, index) => `import './missing-${index}.ts';`).join('\n');
    const built = await bundle({ 'nodes/a.ts': `${imports}\nexport const execute = () => 1;` });
    expect(built.ok ? 0 : built.errors.length).toBe(20);
  });

  test('when sources or output exceed their limit', async () => {
    const files = toFiles({ 'nodes/a.ts': `export const execute = () => '${'x'.repeat(5000)}';` });
    const tight = (limits: Partial<typeof bundleLimits>): Promise<Bundle> =>
      bundleModule(files, 'nodes/a.ts', 'execute', { ...bundleLimits, ...limits });
    expect(await tight({ source: 1000 })).toMatchObject({
      ok: false,
      errors: [{ text: expect.stringContaining('more than 1000 bytes') }],
    });
    expect(await tight({ output: 1000 })).toMatchObject({
      ok: false,
      errors: [{ text: expect.stringContaining('longer than 1000 characters') }],
    });
  });

  test('when it takes too long, without affecting the next build', async () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `export const x${index} = ${index} + ${index};`);
    const slow = toFiles({ 'nodes/a.ts': `${lines.join('\n')}\nexport const execute = () => 1;` });
    const late = await bundleModule(slow, 'nodes/a.ts', 'execute', { ...bundleLimits, timeMs: 1 });
    expect(late).toMatchObject({ ok: false, errors: [{ text: 'Bundling took longer than 1 ms.' }] });
    expect(await bundle({ 'nodes/a.ts': 'export const execute = () => 1;' })).toMatchObject({ ok: true });
  });
});
