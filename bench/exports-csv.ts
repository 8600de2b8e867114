/** An export of stock to CSV, beside `COPY ... TO STDOUT` into a file on the same disk. `node bench/exports-csv.ts [rows=1000000]` */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { to } from 'pg-copy-streams';
import { printFigure } from './lib/figure.ts';
import { noted, openImportShop, peakMemory, measureSeconds } from './lib/import-shop.ts';
import { withPostgres } from './lib/postgres.ts';

const [rows = 1_000_000] = process.argv.slice(2).map(Number);

await withPostgres(async (postgres) => {
  const imports = await openImportShop(await postgres.createDatabase('exports_csv'));
  const { client } = imports.shop;
  await imports.shop.addProducts(rows);
  await imports.shop.addStock(5);
  const worker = await imports.startWorker();
  try {
    const exported = await noted('The export', async () => imports.ended(await imports.startExport('stock', 'csv')));
    const bare = await measureSeconds(() =>
      pipeline(
        client.query(
          to('COPY (SELECT sku, location, on_hand FROM stock_balances ORDER BY sku, location) TO STDOUT (FORMAT csv)'),
        ),
        createWriteStream(join(imports.dataDir, 'bare.csv'), { flush: true }),
      ),
    );
    printFigure({
      figure: 'export-csv',
      value: rows / exported.seconds,
      unit: 'rows/s',
      against: { name: 'COPY TO STDOUT', value: rows / bare },
      reach: { of: 'ratio', atLeast: 0.5 },
      detail: { ...exported, workerMiB: Math.round(peakMemory(worker)) },
    });
  } finally {
    await worker.stop();
    await imports.close();
  }
});
