import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { writers } from '#src/imports/formats/formats.ts';
import { keptProfile } from '#src/imports/profiles/profiles.inputs.ts';
import { createDiskDriver } from '#src/infra/storage/storage-disk.ts';
import { createStorage, type Storage } from '#src/infra/storage/storage.ts';
import { note } from './figure.ts';
import { openShop, type Shop } from './shop.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** The outcome of a job. */
export interface BulkOutcome {
  /** From the time a worker took it until it ended, by the database's clock. */
  seconds: number;
  rows: number;
  written: number;
  unchanged: number;
  rejected: number;
}

export interface ImportFile {
  target: string;
  format: string;
  content: Readable;
}

/** A shop with a worker process that does its imports and exports. */
export interface ImportShop {
  shop: Shop;
  storage: Storage;
  dataDir: string;
  startWorker(nodeFlags?: readonly string[]): Promise<WorkerProcess>;
  /** Imports a file and returns its job. */
  start(file: ImportFile): Promise<number>;
  startExport(target: string, format: string): Promise<number>;
  /** Throws if the job did not complete. */
  ended(job: number): Promise<BulkOutcome>;
  close(): Promise<void>;
}

const plain = {
  mapping: null,
  recordPath: null,
  sheet: null,
  delimiter: ',',
  quote: '"',
  header: true,
  skipLines: 0,
  encoding: 'utf-8',
  decimalSeparator: '.',
  quantityBasis: 'physical',
  mode: 'full',
  absent: 'keep',
  asOf: null,
};

export async function openImportShop(databaseUrl: string): Promise<ImportShop> {
  const shop = await openShop(databaseUrl);
  const { client, tenantId } = shop;
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-files-'));
  const storage = createStorage(createDiskDriver(join(dataDir, 'storage')));
  const insert = async (text: string, values: unknown[]): Promise<number> =>
    Number((await client.query<{ id: string }>(text, values)).rows[0]?.id);
  return {
    shop,
    storage,
    dataDir,
    startWorker: (nodeFlags = []) =>
      startWorkerProcess({
        databaseUrl,
        nodeFlags,
        env: { DATA_DIR: dataDir, METRICS_PORT: '0', IMPORT_PAIRS: process.env['IMPORT_PAIRS'] ?? '0' },
      }),
    async start({ target, format, content }) {
      const { key, bytes } = await storage.put(content, { maxBytes: 2 ** 30 });
      return insert(
        `WITH sent AS (
           INSERT INTO uploads (tenant_id, filename, content_type, storage_key, bytes) VALUES ($1, 'f', 'text/csv', $2, $3) RETURNING id
         ) INSERT INTO bulk_jobs (tenant_id, target, profile, profile_name, upload_id, dry_run)
         SELECT $1, $4, $5, 'bench', id, false FROM sent RETURNING id`,
        [tenantId, key, bytes, target, keptProfile.parse({ ...plain, format })],
      );
    },
    startExport: (target, format) =>
      insert(
        `INSERT INTO bulk_jobs (tenant_id, kind, target, profile, dry_run) VALUES ($1, 'export', $2, $3, false) RETURNING id`,
        [tenantId, target, { ...keptProfile.parse({ ...plain, format }), filter: {} }],
      ),
    async ended(job) {
      for (;;) {
        const { rows } = await client.query(
          `SELECT status, error, rows_read AS rows, rows_written AS written, rows_unchanged AS unchanged, rows_rejected AS rejected,
             extract(epoch FROM finished_at - started_at)::float8 AS seconds FROM bulk_jobs WHERE id = $1`,
          [job],
        );
        const { status, error, ...outcome } = rows[0];
        if (status === 'completed') return outcome;
        if (status === 'failed' || status === 'cancelled') throw new Error(`The job is ${status}: ${error}`);
        await delay(100);
      }
    },
    async close() {
      await client.end();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A file of the format with a header and `rows` rows, whose cells come from `makeCells`. */
export function generateFile(
  format: string,
  columns: readonly { name: string; type: 'text' | 'numeric' }[],
  rows: number,
  makeCells: (n: number) => readonly (string | number)[],
): Readable {
  function* lines(separator: string): Generator<Buffer> {
    for (let n = 1; n <= rows; n += 1_000) {
      let part = '';
      for (let at = n; at < Math.min(n + 1_000, rows + 1); at += 1) part += `${makeCells(at).join(separator)}\n`;
      yield Buffer.from(part);
    }
  }
  const writer = writers[format];
  if (!writer) throw new Error(`There is no format ${format}.`);
  const copied = Readable.from(lines(writer.copies === 'csv' ? ',' : '\t'));
  return Readable.from(writer.write(copied, { ...plain, columns }), { objectMode: false });
}

const stockColumns = [
  { name: 'sku', type: 'text' },
  { name: 'location', type: 'text' },
  { name: 'quantity', type: 'numeric' },
] as const;

/** A count of each article of the shop at `main`, with other quantities than those of other steps. */
export const stockFile = (format: string, rows: number, step: number): Readable =>
  generateFile(format, stockColumns, rows, (n) => [`SKU-${n}`, 'main', (n % 900) + step]);

export async function measureSeconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

/** The most memory that a process has had, in MiB. */
export function peakMemory({ pid }: Pick<WorkerProcess, 'pid'>): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
}

/** Reports the duration of a step on the terminal. */
export async function noted<T>(step: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const answer = await work();
  note(`${step}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  return answer;
}
