import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defineJob, installQueues, startJobs } from '#src/infra/jobs.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { cloneDatabase } from '#test/setup/database.ts';

const job = defineJob({
  name: 'test.outages.meet',
  schema: z.object({}),
  retry: { limit: 1, delay: 1 },
  expireInSeconds: 60,
});

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase();
  await installQueues(clone.url, [job], { name: 'test', lockMs: 2_000 });
  database = openDatabase({ url: clone.url, poolSize: 2 });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

/** A proxy with nothing behind it once it is `emptied`: it accepts connections and ends them without a word. */
async function startProxy(socketPath: string) {
  const open = new Set<Socket>();
  let isEmpty = false;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    open.add(client);
    if (isEmpty) {
      client.end();
      return;
    }
    const upstream = connect(socketPath);
    upstream.on('error', () => undefined);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    empty: () => {
      isEmpty = true;
      for (const socket of open) socket.destroy();
    },
    fill: () => {
      isEmpty = false;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('workers that lose the database log one warning a second together, and continue when it is back', async () => {
  const { host, port, user, database: name } = new pg.Client({ connectionString: clone.url });
  const proxy = await startProxy(`${host}/.s.PGSQL.${port}`);
  const log = { warn: vi.fn<(details: object, message: string) => void>() };
  const warn = createRepeatedWarning('A database connection broke.');
  let met = 0;
  const jobs = await startJobs({
    database,
    maintain: { url: `postgresql://${user}@127.0.0.1:${proxy.port}/${name}` },
    onError: (error) => {
      met += 1;
      warn(log as never, error);
    },
  });
  const handled = vi.fn<() => Promise<void>>(async () => undefined);
  await jobs.work(job, 8, handled);

  proxy.empty();
  const began = performance.now();
  await vi.waitFor(() => expect(met).toBeGreaterThan(20), { timeout: 15_000 });
  const seconds = (performance.now() - began) / 1_000;
  expect(log.warn.mock.calls.length).toBeLessThanOrEqual(seconds + 2);
  for (const [details] of log.warn.mock.calls) expect(details).not.toHaveProperty('err');

  proxy.fill();
  await jobs.send(job, {});
  await vi.waitFor(() => expect(handled).toHaveBeenCalledOnce(), { timeout: 15_000 });
  await jobs.stop();
  await proxy.close();
});
