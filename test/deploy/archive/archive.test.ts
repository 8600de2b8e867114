import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '#src/process/listen.ts';
import { inheritedEnv } from '#test/setup/child-env.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../../..');

let folder: string;
let installed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-archive-'));
  const clone = join(folder, 'clone');
  await mkdir(clone);
  const copy = 'git ls-files | tar --create --files-from=- | tar --extract --directory "$1"';
  await run('sh', ['-euc', copy, 'sh', clone], { cwd: repository });
  await symlink(join(repository, 'node_modules'), join(clone, 'node_modules'));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: clone, env: inheritedEnv });
  installed = await install(clone);
}, 600_000);

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

/** As `npm install` would, without the minute that it takes: beside what the archive depends on. */
async function install(clone: string): Promise<string> {
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const modules = join(folder, 'installed/node_modules');
  const target = join(modules, 'causeway');
  await mkdir(target, { recursive: true });
  await run('tar', [
    '--extract',
    '--gzip',
    '--strip-components=1',
    '--file',
    join(folder, archive),
    '--directory',
    target,
  ]);
  const packages = join(clone, 'node_modules');
  for (const name of await readdir(packages)) {
    // The kits are linked to the clone, and those who install the archive have no clone.
    const isScope = name.startsWith('@');
    if (name === '@causeway') continue;
    for (const path of isScope ? (await readdir(join(packages, name))).map((inner) => join(name, inner)) : [name]) {
      await mkdir(dirname(join(modules, path)), { recursive: true });
      await symlink(join(packages, path), join(modules, path));
    }
  }
  return target;
}

/** Calls the command of the archive in an empty folder. */
async function call(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const cwd = await mkdtemp(join(folder, 'empty-'));
  const child = spawn(process.execPath, [join(installed, 'deploy/archive/causeway.mjs'), ...words], {
    cwd,
    env: { ...inheritedEnv, METRICS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { cwd, ended, output: () => output, stop: () => child.kill() };
}

describe('The archive of `npm pack`', () => {
  test(
    'starts everything in an empty folder, with the console built, and says how to go on',
    { timeout: 240_000 },
    async () => {
      const port = String(await freePort('127.0.0.1', 0));
      const started = await call([], { PORT: port });
      onTestFinished(async () => {
        started.stop();
        await started.ended;
      });
      await vi.waitFor(() => expect(started.output()).toContain('Causeway is ready'), {
        timeout: 180_000,
        interval: 250,
      });
      expect((await fetch(`http://localhost:${port}/console/`)).status).toBe(200);
      expect(started.output()).not.toContain('The console was built');
      expect(started.output()).toMatch(/npx causeway token --tenant demo/);
      expect(await readdir(started.cwd)).toEqual(['.data']);

      const token = await call(['token', '--tenant', 'demo'], { PORT: port, DATA_DIR: join(started.cwd, '.data') });
      expect([await token.ended, token.output()]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
      started.stop();
      expect(await started.ended).toBe(0);
    },
  );

  test('is the command `causeway`', async () => {
    const version = await call(['--version']);
    expect([await version.ended, version.output()]).toEqual([0, expect.stringMatching(/^causeway \d+\.\d+\.\d+\n$/)]);
    const made = await call(['node', 'init', 'greeter']);
    expect([await made.ended, made.output()]).toEqual([
      0,
      expect.stringContaining('Now: npx causeway node test greeter'),
    ]);
    const tested = spawn(
      process.execPath,
      [join(installed, 'deploy/archive/causeway.mjs'), 'node', 'test', 'greeter'],
      { cwd: made.cwd, env: inheritedEnv, stdio: 'ignore' },
    );
    expect(await new Promise((resolve) => tested.on('close', resolve))).toBe(0);
  });
});
