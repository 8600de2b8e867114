/**
 * A stock CSV of full state, merged by a worker: every row changed, and then the same file again. Beside it, in the same run and on the
 * same server, what Postgres takes for it by hand: COPY into an unlogged table and one set-based merge with ledger rows, and COPY plus the
 * comparing join. `node bench/imports-stock.ts [rows=1000000]`; `CPU_PROF=directory` leaves a profile of the worker there.
 */
import { verifyStock } from '#src/commerce/stock/stock-verification.service.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { createBareStock } from './lib/bare-stock.ts';
import { printFigure } from './lib/figure.ts';
import { noted, openImportShop, peakMemory, measureSeconds, stockFile } from './lib/import-shop.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { significant } from './lib/stats.ts';

const [rows = 1_000_000] = process.argv.slice(2).map(Number);
const profile = process.env['CPU_PROF'];
const file = (step: number) => stockFile('csv', rows, step);

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('imports_stock');
  const imports = await openImportShop(url);
  const { client, tenantId } = imports.shop;
  await imports.shop.addProducts(rows);
  const bare = await createBareStock(client);
  const worker = await imports.startWorker(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]);
  const micros = (pid: number): number => (processorSeconds(findFamily(pid)) * 1e6) / rows;
  const importStep = async (step: number) => {
    const job = await imports.start({ target: 'stock', format: 'csv', content: file(step) });
    const before = { worker: micros(worker.pid), postgres: micros(postgres.pid) };
    const outcome = await imports.ended(job);
    const processorMicros = {
      worker: significant(micros(worker.pid) - before.worker, 3),
      postgres: significant(micros(postgres.pid) - before.postgres, 3),
    };
    return { ...outcome, processorMicros };
  };
  const bareStep = async (work: () => Promise<unknown>): Promise<{ seconds: number; postgresMicros: number }> => {
    const before = micros(postgres.pid);
    const seconds = await measureSeconds(work);
    return { seconds, postgresMicros: significant(micros(postgres.pid) - before, 3) };
  };
  try {
    await noted('The first counts', () => importStep(1));
    await bare.copy(file(1));
    await bare.merge(1);
    await client.query('VACUUM ANALYZE bare_balances, stock_balances, stock_movements, import_rows');
    const changed = await noted('Every row changed', () => importStep(2));
    const changedBare = await bareStep(async () => {
      await bare.copy(file(2));
      await bare.merge(2);
    });
    printFigure({
      figure: 'import-stock-changed',
      value: rows / changed.seconds,
      unit: 'rows/s',
      against: { name: 'COPY and one merge with ledger rows', value: rows / changedBare.seconds },
      reach: { of: 'ratio', atLeast: 0.6 },
      detail: { ...changed, bare: changedBare },
    });
    const same = await noted('The same file again', () => importStep(2));
    const sameBare = await bareStep(async () => {
      await bare.copy(file(2));
      await bare.compare();
    });
    printFigure({
      figure: 'import-stock-unchanged',
      value: rows / same.seconds,
      unit: 'rows/s',
      against: { name: 'COPY and the comparing join', value: rows / sameBare.seconds },
      reach: { of: 'ratio', atLeast: 0.8 },
      detail: { ...same, bare: sameBare },
    });
    const database = openDatabase({ url, poolSize: 2 });
    let differences = 0;
    for await (const verified of verifyStock(database, tenantId)) differences += verified.differences.length;
    await database.close();
    printFigure({
      figure: 'import-stock-memory',
      value: peakMemory(worker),
      unit: 'MiB of the worker at most',
      reach: { of: 'value', atMost: 256 },
      detail: { rows, differences },
    });
  } finally {
    await worker.stop();
    await imports.close();
  }
});
