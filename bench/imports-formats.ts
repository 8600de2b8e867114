/**
 * Stock in XML, JSON and XLSX, every row changed, beside the format's parser alone and the database's ceiling, a hand-written COPY and
 * merge: the lower of the two counts. `node bench/imports-formats.ts [xml=1000000] [json=200000] [xlsx=200000]`
 */
import { Tokenizer, TokenParser } from '@streamparser/json';
import sax from 'sax';
import { openPromise } from 'yauzl';
import { createBareStock } from './lib/bare-stock.ts';
import { printFigure } from './lib/figure.ts';
import { noted, openImportShop, peakMemory, measureSeconds, stockFile } from './lib/import-shop.ts';
import { withPostgres } from './lib/postgres.ts';

const [xml = 1_000_000, json = 200_000, xlsx = 200_000] = process.argv.slice(2).map(Number);
type Chunks = AsyncIterable<Buffer>;

async function parseXml(chunks: Chunks): Promise<void> {
  const parser = sax.parser(true);
  for await (const chunk of chunks) parser.write(chunk.toString());
  parser.close();
}

/** The parsers alone, for each format. */
const parsers: Record<string, (file: { chunks: Chunks; path: string }) => Promise<void>> = {
  xml: ({ chunks }) => parseXml(chunks),
  async json({ chunks }) {
    const tokenizer = new Tokenizer();
    const parser = new TokenParser({ paths: ['$.*'], keepStack: false });
    tokenizer.onToken = parser.write.bind(parser);
    parser.onValue = () => undefined;
    for await (const chunk of chunks) tokenizer.write(chunk);
  },
  async xlsx({ path }) {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
    for await (const entry of zip.eachEntry())
      if (entry.fileName.endsWith('sheet1.xml')) await parseXml((await zip.openReadStreamPromise(entry)) as Chunks);
    zip.close();
  },
};

for (const [format, rows] of Object.entries({ xml, json, xlsx })) {
  if (rows === 0) continue;
  const file = (step: number, of = format) => stockFile(of, rows, step);
  await withPostgres(async (postgres) => {
    const imports = await openImportShop(await postgres.createDatabase('imports_formats'));
    const { client } = imports.shop;
    await imports.shop.addProducts(rows);
    const bare = await createBareStock(client);
    const worker = await imports.startWorker();
    try {
      await noted('The first counts', async () =>
        imports.ended(await imports.start({ target: 'stock', format: 'csv', content: file(1, 'csv') })),
      );
      await bare.copy(file(1, 'csv'));
      await bare.merge(1);
      await client.query('VACUUM ANALYZE bare_balances, stock_balances, stock_movements, import_rows');
      const changed = await noted(`Every row changed, in ${format}`, async () =>
        imports.ended(await imports.start({ target: 'stock', format, content: file(2) })),
      );
      const merged = await measureSeconds(async () => {
        await bare.copy(file(2, 'csv'));
        await bare.merge(2);
      });
      const { key } = await imports.storage.put(file(2), { maxBytes: 2 ** 30 });
      const chunks = (await imports.storage.stream(key)) as Chunks;
      const path = `${imports.dataDir}/storage/${key}`;
      const parsed = await measureSeconds(async () => parsers[format]?.({ chunks, path }));
      const parserIsLower = parsed > merged;
      printFigure({
        figure: `import-${format}`,
        value: rows / changed.seconds,
        unit: 'rows/s',
        against: {
          name: parserIsLower ? 'the parser alone' : 'COPY and one merge with ledger rows',
          value: rows / Math.max(parsed, merged),
        },
        reach: { of: 'ratio', atLeast: 0.5 },
        detail: {
          ...changed,
          parserRowsPerSecond: Math.round(rows / parsed),
          workerMiB: Math.round(peakMemory(worker)),
        },
      });
    } finally {
      await worker.stop();
      await imports.close();
    }
  });
}
