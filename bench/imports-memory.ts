/**
 * The most memory of a worker that imports stock files of 10,000 and of 1,000,000 rows, as CSV and XML, each in a worker of its own.
 * `node bench/imports-memory.ts [small=10000] [large=1000000]`
 */
import { printFigure } from './lib/figure.ts';
import { noted, openImportShop, peakMemory, stockFile } from './lib/import-shop.ts';
import { withPostgres } from './lib/postgres.ts';

const [small = 10_000, large = 1_000_000] = process.argv.slice(2).map(Number);
await withPostgres(async (postgres) => {
  const imports = await openImportShop(await postgres.createDatabase('imports_memory'));
  await imports.shop.addProducts(large);
  let step = 0;
  async function measurePeak(format: string, rows: number): Promise<number> {
    step += 1;
    const content = stockFile(format, rows, step);
    const worker = await imports.startWorker();
    try {
      await noted(`${rows} rows of ${format}`, async () =>
        imports.ended(await imports.start({ target: 'stock', format, content })),
      );
      return peakMemory(worker);
    } finally {
      await worker.stop();
    }
  }
  try {
    for (const format of ['csv', 'xml']) {
      const few = await measurePeak(format, small);
      printFigure({
        figure: `import-${format}-memory`,
        value: await measurePeak(format, large),
        unit: 'MiB of the worker at most',
        against: { name: `${small} rows`, value: few },
        reach: { of: 'value', atMost: 256 },
        detail: { small, large },
      });
    }
  } finally {
    await imports.close();
  }
});
