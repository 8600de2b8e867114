import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { keptProfile } from '#src/imports/profiles/profiles.inputs.ts';
import { createDiskDriver } from '#src/infra/storage/storage-disk.ts';
import { createStorage } from '#src/infra/storage/storage.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { anyTopic } from '#test/commerce/webhooks/hooks.ts';
import { type OwnPostgres, startOwnPostgres } from './deployment.ts';
import { type OwnProcess, startWorker } from './processes.ts';
import { volume } from './volume.ts';

/** More than two chunks, between which and in whose midst it is interrupted. */
const rows = volume('importedRows');
const events = 200;
const tenantId = 'acme-shop';

let postgres: OwnPostgres;
let dataDir: string;
let worker: OwnProcess;
/** How often each event arrived, by its id. */
const arrived = new Map<string, number>();
const receiver = createServer((request, response) => {
  const id = String(request.headers['webhook-id']);
  arrived.set(id, (arrived.get(id) ?? 0) + 1);
  request.resume();
  void delay(50, undefined, { ref: false }).then(() => response.end('ok'));
});
let address: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'causeway-chaos-imports-'));
  postgres = await startOwnPostgres();
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  address = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  worker = await run();
});
afterAll(async () => {
  worker.signal('SIGKILL');
  await worker.exited;
  receiver.closeAllConnections();
  receiver.close();
  await postgres.close();
  await rm(dataDir, { recursive: true, force: true });
});

const read = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  postgres.database.tenantQuery(tenantId, { text, values });
const run = () => startWorker({ databaseUrl: postgres.url, dataDir, allow: address });
const kill = async (): Promise<void> => {
  worker.signal('SIGKILL');
  await worker.exited;
  worker = await run();
};

/** Every tenth article is not sold, half of the others are there in the quantity known, and every hundredth row names one that came before. */
const makeLine = (n: number): string =>
  n % 100 === 50 ? `SKU-${n - 8},${n}\n` : `${n % 10 === 0 ? 'NONE' : 'SKU'}-${n},${n % 10 < 5 ? n : 0}\n`;

/** A job with its file, as `POST /io/imports` leaves it. */
async function startImport(): Promise<number> {
  function* lines(): Generator<string> {
    yield 'sku,quantity\n';
    for (let n = 1; n <= rows; n += 1) yield makeLine(n);
  }
  const storage = createStorage(createDiskDriver(join(dataDir, 'storage')));
  const { key, bytes } = await storage.put(Readable.from(lines()), { maxBytes: 2 ** 30 });
  const upload = await postgres.database.reader(tenantId).upload.create({
    data: { tenantId, filename: 'a.csv', contentType: 'text/csv', storageKey: key, bytes: BigInt(bytes) },
  });
  const profile = keptProfile.parse({
    format: 'csv',
    mapping: null,
    recordPath: null,
    sheet: null,
    delimiter: ',',
    encoding: 'utf-8',
    decimalSeparator: '.',
    quantityBasis: 'physical',
    mode: 'full',
    absent: 'keep',
    asOf: null,
  });
  const job = await postgres.database.reader(tenantId).bulkJob.create({
    data: { tenantId, target: 'stock', profile, profileName: 'stock', uploadId: upload.id, dryRun: false },
  });
  return Number(job.id);
}

interface Seen {
  status: string;
  rows_read: number;
  rows_written: number;
  rows_unchanged: number;
  rows_rejected: number;
  merged_to: number;
}
const seen = async (id: number): Promise<Seen> =>
  (
    await read<Seen>(
      `SELECT status, rows_read, rows_written, rows_unchanged, rows_rejected, merged_to FROM bulk_jobs WHERE tenant_id = $1 AND id = $2`,
      [tenantId, id],
    )
  )[0] as Seen;

describe('an import whose workers are killed and whose Postgres goes away', () => {
  test('merges every row once', { timeout: 300_000 }, async () => {
    await postgres.database.withTenant(tenantId, (tx) =>
      tx.query(
        `INSERT INTO products (tenant_id, sku, name) SELECT $1, 'SKU-' || n, 'Article' FROM generate_series(1, $2::int) AS n`,
        [tenantId, rows],
      ),
    );
    // Somebody wants the events, and gets none of them.
    const destination = { name: 'ERP', url: 'https://erp.example.com', topics: ['stock.changed'], filter: 'false' };
    await postgres.database
      .reader(tenantId)
      .webhookDestination.create({ data: { tenantId, ...destination, queue: { create: {} } } });
    const id = await startImport();
    const isAt = (isFar: (job: Seen) => boolean) => () =>
      vi.waitUntil(async () => isFar(await seen(id).catch(() => ({}) as Seen)), { timeout: 60_000, interval: 50 });
    const met: Seen[] = [];
    for (const [arrives, interrupt] of [
      [isAt(({ rows_read: at }) => at > 0), kill],
      [isAt(({ rows_read: at }) => at >= rows / 2), () => postgres.restart('kill', 300)],
      [isAt(({ merged_to: at }) => at >= rows / 3), () => postgres.restart('immediate', 300)],
      [isAt(({ merged_to: at }) => at >= (2 * rows) / 3), kill],
    ] as const) {
      await arrives();
      met.push(await seen(id));
      await interrupt();
    }
    const interrupted = met.map(({ status, rows_read: read, merged_to: merged }) => ({ status, read, merged }));
    process.stdout.write(`${JSON.stringify({ test: 'imports under restarts', rows, interrupted })}\n`);
    await isAt(({ status }) => status === 'completed' || status === 'failed')();
    expect(await seen(id)).toMatchObject({
      status: 'completed',
      rows_read: rows,
      rows_written: 0.4 * rows,
      rows_unchanged: 0.5 * rows,
      rows_rejected: 0.1 * rows,
    });
    expect(
      await read(
        `SELECT count(*)::int AS movements, count(DISTINCT sku)::int AS articles, sum(delta)::bigint AS sum FROM stock_movements`,
      ),
    ).toEqual(
      await read(
        `SELECT count(*)::int AS movements, count(*)::int AS articles, sum(on_hand)::bigint AS sum FROM stock_balances`,
      ),
    );
    const told = () =>
      read(
        `SELECT count(*)::int AS events, count(DISTINCT data -> 'movement' ->> 'id')::int AS movements FROM outbox_events WHERE topic = 'stock.changed'`,
      );
    await expect.poll(told, { timeout: 60_000 }).toEqual([{ events: 0.4 * rows, movements: 0.4 * rows }]);
    expect(await read(`SELECT count(*)::int AS ended FROM outbox_events WHERE topic = 'import.completed'`)).toEqual([
      { ended: 1 },
    ]);
  });
});

/** Resolves once so many events have arrived. */
async function untilArrived(count: number): Promise<void> {
  while (arrived.size < count) await delay(20);
}

describe('webhooks whose workers are killed and whose Postgres goes away', () => {
  test('deliver every event, with the same id', { timeout: 240_000 }, async () => {
    const published = await postgres.database.withTenant(tenantId, async (tx) => {
      const url = `http://${address}/hooks`;
      await tx.webhookDestination.create({
        data: { tenantId, name: 'ERP', url, topics: ['test.restarted'], concurrency: 10, queue: { create: {} } },
      });
      const ids: string[] = [];
      for (let n = 0; n < events; n += 1)
        ids.push(await publishEvent(tx, { tenantId, topic: anyTopic('test.restarted'), data: { n } }));
      return ids;
    });
    for (const [share, interrupt] of [
      // Between the receiver's answers and their record.
      [0.2, kill],
      [0.45, () => postgres.restart('kill', 300)],
      [0.7, () => postgres.restart('immediate', 300)],
    ] as const) {
      await untilArrived(events * share);
      await interrupt();
    }
    await untilArrived(events);

    const read = async (): Promise<object[]> =>
      postgres.database.tenantQuery(tenantId, {
        text: 'SELECT status, count(*)::int AS deliveries FROM webhook_deliveries GROUP BY status ORDER BY status',
      });
    await expect.poll(read, { timeout: 60_000 }).toEqual([{ status: 'delivered', deliveries: events }]);
    expect([...arrived.keys()].toSorted()).toEqual(published.toSorted());
    const repeats = [...arrived.values()].reduce((sum, count) => sum + count - 1, 0);
    process.stdout.write(`${JSON.stringify({ test: 'webhooks under restarts', events, repeats })}\n`);
  });
});
