import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keptProfile } from '#src/imports/profiles/profiles.inputs.ts';
import { createDiskDriver } from '#src/infra/storage/storage-disk.ts';
import { createStorage } from '#src/infra/storage/storage.ts';
import { type OwnPostgres, startOwnPostgres } from './deployment.ts';
import { type OwnProcess, startWorker } from './processes.ts';
import { volume } from './volume.ts';

/** More than two chunks, between which and in whose midst it is interrupted. */
const rows = volume('importedRows');
const tenantId = 'acme-shop';

let postgres: OwnPostgres;
let dataDir: string;
let worker: OwnProcess;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'causeway-chaos-imports-'));
  postgres = await startOwnPostgres();
});
afterAll(async () => {
  worker.signal('SIGKILL');
  await worker.exited;
  await postgres.close();
  await rm(dataDir, { recursive: true, force: true });
});

const read = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  postgres.database.tenantQuery(tenantId, { text, values });
const run = () => startWorker({ databaseUrl: postgres.url, dataDir });

/** Every tenth article is not sold, and every hundredth row names one that came before. */
const lineOf = (n: number): string =>
  n % 100 === 50 ? `SKU-${n - 1},${n}\n` : `${n % 10 === 0 ? 'NONE' : 'SKU'}-${n},${n % 10 === 5 ? 0 : n}\n`;

/** A job with its file, as `POST /io/imports` leaves it. */
async function startImport(): Promise<number> {
  function* lines(): Generator<string> {
    yield 'sku,quantity\n';
    for (let n = 1; n <= rows; n += 1) yield lineOf(n);
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
    worker = await run();
    const id = await startImport();
    const isAt = (isFar: (job: Seen) => boolean) => async () => {
      while (!isFar(await seen(id).catch(() => ({}) as Seen))) await delay(20);
    };
    const kill = async (): Promise<void> => {
      worker.signal('SIGKILL');
      await worker.exited;
      worker = await run();
    };
    const met: Seen[] = [];
    for (const [arrives, interrupt] of [
      [isAt(({ rows_read: at }) => at > 0), kill],
      [isAt(({ rows_read: at }) => at >= rows / 2), () => postgres.restart('kill', 300)],
      [isAt(({ merged_to: at }) => at > 0), kill],
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
      rows_written: 0.8 * rows,
      rows_unchanged: 0.1 * rows,
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
    await expect.poll(told, { timeout: 60_000 }).toEqual([{ events: 0.8 * rows, movements: 0.8 * rows }]);
    expect(await read(`SELECT count(*)::int AS ended FROM outbox_events WHERE topic = 'import.completed'`)).toEqual([
      { ended: 1 },
    ]);
  });
});
