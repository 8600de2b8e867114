/**
 * A stock CSV of full state, merged by the product's job: every row changed, and then the same file again. Beside it, in the same
 * run and on the same server, what Postgres takes for it by hand: COPY into an unlogged table and one set-based merge with ledger
 * rows, and COPY plus the comparing join. Memory is that of this process, which is worker and client in one.
 * `node bench/imports-stock.ts [rows]`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { verifyStock } from '#src/commerce/stock/stock-verification.service.ts';
import { stockImportTarget } from '#src/commerce/stock/stock.import-target.ts';
import { parts } from '#src/domains/domains.ts';
import { runBulkJob } from '#src/imports/bulk-jobs/run-bulk-job.service.ts';
import { keptProfile } from '#src/imports/profiles/profiles.inputs.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { startJobs } from '#src/infra/jobs.ts';
import { createLogger } from '#src/infra/logs/logger.ts';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { createDiskDriver } from '#src/infra/storage/storage-disk.ts';
import { createStorage } from '#src/infra/storage/storage.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';

const [rows = 1_000_000] = process.argv.slice(2).map(Number);
const tenantId = 'bench-shop';
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

function* lines(quantityOf: (n: number) => number): Generator<string> {
  yield 'sku,location,quantity\n';
  for (let n = 1; n <= rows; n += 1_000) {
    let part = '';
    for (let at = n; at < Math.min(n + 1_000, rows + 1); at += 1) part += `SKU-${at},main,${quantityOf(at)}\n`;
    yield part;
  }
}
const file = (step: number) => Readable.from(lines((n) => (n % 900) + step));

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('imports');
  await migrate(url, parts.jobs);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`INSERT INTO orgs (id, name) VALUES ('bench', 'Bench')`);
  await admin.query(`INSERT INTO tenants (id, org_id, name) VALUES ($1, 'bench', 'Bench')`, [tenantId]);
  await admin.query(
    `INSERT INTO products (tenant_id, sku, name) SELECT $1, 'SKU-' || n, 'Article' FROM generate_series(1, $2::int) AS n`,
    [tenantId, rows],
  );
  await admin.query(`CREATE TABLE bare_balances (sku text, location text, on_hand numeric NOT NULL, PRIMARY KEY (sku, location));
    CREATE TABLE bare_movements (id bigserial PRIMARY KEY, reference text UNIQUE, sku text, location text, kind text,
      quantity numeric, delta numeric, created_at timestamptz DEFAULT now());
    CREATE UNLOGGED TABLE bare_rows (sku text, location text, quantity numeric)`);
  await admin.query('VACUUM ANALYZE products');

  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
  const storage = createStorage(createDiskDriver(dataDir));
  const database = openDatabase({ url, poolSize: 10, statementMs: 120_000 });
  const jobs = await startJobs({ database, onError: () => undefined });
  const log = createLogger({ level: 'warn', redactor: createRedactor() });
  // The parts of it that a job uses.
  const deps = {
    database,
    storage,
    jobs,
    log,
    targets: new Map([[stockImportTarget.name, stockImportTarget]]),
    ending: new AbortController().signal,
  } as unknown as ImportDeps;

  async function importFile(content: Readable): Promise<Record<string, number>> {
    const { key, bytes } = await storage.put(content, { maxBytes: 2 ** 30 });
    const { rows: made } = await admin.query<{ id: string }>(
      `WITH sent AS (
         INSERT INTO uploads (tenant_id, filename, content_type, storage_key, bytes) VALUES ($1, 'f', 'text/csv', $2, $3) RETURNING id
       ) INSERT INTO bulk_jobs (tenant_id, target, profile, profile_name, upload_id, dry_run)
       SELECT $1, 'stock', $4, 'bench', id, false FROM sent RETURNING id`,
      [tenantId, key, bytes, profile],
    );
    const bulkJobId = Number(made[0]?.id);
    await runBulkJob(deps, { tenantId, bulkJobId });
    const { rows: ended } = await admin.query(
      'SELECT status, error, rows_written, rows_unchanged, rows_rejected FROM bulk_jobs WHERE id = $1',
      [bulkJobId],
    );
    if (ended[0]?.status !== 'completed') throw new Error(JSON.stringify(ended[0]));
    return ended[0];
  }

  const copyBare = async (content: Readable): Promise<void> => {
    await admin.query('TRUNCATE bare_rows');
    await pipeline(content, admin.query(from('COPY bare_rows FROM STDIN WITH (FORMAT csv, HEADER)')));
  };
  const compareBare = () =>
    admin.query(
      `SELECT count(*) FROM bare_rows r JOIN bare_balances b USING (sku, location) WHERE b.on_hand <> r.quantity`,
    );
  const mergeBare = (job: number) =>
    admin.query(`WITH changed AS MATERIALIZED (
        SELECT r.*, coalesce(b.on_hand, 0) AS before FROM bare_rows r LEFT JOIN bare_balances b USING (sku, location)
        WHERE b.on_hand IS DISTINCT FROM r.quantity
      ), balanced AS (
        INSERT INTO bare_balances SELECT sku, location, quantity FROM changed
        ON CONFLICT (sku, location) DO UPDATE SET on_hand = excluded.on_hand
      )
      INSERT INTO bare_movements (reference, sku, location, kind, quantity, delta)
      SELECT 'import:${job}:' || sku, sku, location, 'count', quantity, quantity - before FROM changed`);

  try {
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 50);
    note(`Importing ${rows} rows for the first time ...`);
    await importFile(file(1));
    await copyBare(file(1));
    await mergeBare(1);
    await admin.query('VACUUM ANALYZE bare_balances, stock_balances, stock_movements, import_rows');

    note('Importing a file in which every row has changed ...');
    let outcome: Record<string, number> = {};
    const changed = await seconds(async () => {
      outcome = await importFile(file(2));
    });
    const changedBare = await seconds(async () => {
      await copyBare(file(2));
      await mergeBare(2);
    });
    printFigure({
      figure: 'import-stock-changed',
      value: rows / changed,
      unit: 'rows/s',
      against: { name: 'COPY and one merge with ledger rows', value: rows / changedBare },
      reach: { of: 'ratio', atLeast: 0.6 },
      detail: { rows, ...outcome },
    });

    note('Importing the same file again ...');
    const same = await seconds(async () => {
      outcome = await importFile(file(2));
    });
    const sameBare = await seconds(async () => {
      await copyBare(file(2));
      await compareBare();
    });
    printFigure({
      figure: 'import-stock-unchanged',
      value: rows / same,
      unit: 'rows/s',
      against: { name: 'COPY and the comparing join', value: rows / sameBare },
      reach: { of: 'ratio', atLeast: 0.8 },
      detail: { rows, ...outcome },
    });
    clearInterval(watch);
    let differences = 0;
    for await (const verified of verifyStock(database, tenantId)) differences += verified.differences.length;
    printFigure({
      figure: 'import-stock-memory',
      value: peak / 1024 / 1024,
      unit: 'MiB',
      reach: { of: 'value', atMost: 256 },
      detail: { rows, differences },
    });
  } finally {
    await jobs.stop();
    await database.close();
    await admin.end();
    await rm(dataDir, { recursive: true, force: true });
  }
});
