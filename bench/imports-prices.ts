/**
 * A CSV of prices, every row changed, and then the same file again. Beside it, on the same server, what Postgres takes for it by hand: COPY
 * into an unlogged table and one set-based merge, and COPY plus the comparing join. `node bench/imports-prices.ts [rows=1000000]`
 */
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import { printFigure } from './lib/figure.ts';
import { generateFile, noted, openImportShop, measureSeconds } from './lib/import-shop.ts';
import { withPostgres } from './lib/postgres.ts';

const [rows = 1_000_000] = process.argv.slice(2).map(Number);
const columns = [
  { name: 'list', type: 'text' },
  { name: 'sku', type: 'text' },
  { name: 'amount', type: 'numeric' },
] as const;
const file = (step: number) =>
  generateFile('csv', columns, rows, (n) => ['EU', `SKU-${n}`, `${(n % 900) + step}.${10 + (n % 90)}`]);

await withPostgres(async (postgres) => {
  const imports = await openImportShop(await postgres.createDatabase('imports_prices'));
  const { client, tenantId } = imports.shop;
  await imports.shop.addProducts(rows);
  await client.query(`INSERT INTO price_lists (tenant_id, code, name, currency) VALUES ($1, 'EU', 'Europe', 'EUR')`, [
    tenantId,
  ]);
  await client.query(`CREATE TABLE bare_prices (id bigserial PRIMARY KEY, list text NOT NULL, sku text NOT NULL, amount numeric NOT NULL,
      updated_at timestamptz NOT NULL DEFAULT now(), UNIQUE (sku, list));
    CREATE UNLOGGED TABLE bare_rows (list text, sku text, amount numeric)`);
  const copyBare = async (step: number): Promise<void> => {
    await client.query('TRUNCATE bare_rows');
    await pipeline(file(step), client.query(from('COPY bare_rows FROM STDIN WITH (FORMAT csv, HEADER)')));
  };
  const mergeBare = () =>
    client.query(`INSERT INTO bare_prices AS p (list, sku, amount)
      SELECT r.* FROM bare_rows r LEFT JOIN bare_prices b USING (sku, list) WHERE b.amount IS DISTINCT FROM r.amount
      ON CONFLICT (sku, list) DO UPDATE SET amount = excluded.amount, updated_at = now()`);
  const compareBare = () =>
    client.query('SELECT count(*) FROM bare_rows r JOIN bare_prices b USING (sku, list) WHERE b.amount <> r.amount');
  const worker = await imports.startWorker();
  const importStep = async (step: number) =>
    imports.ended(await imports.start({ target: 'prices', format: 'csv', content: file(step) }));
  try {
    await noted('The first prices', () => importStep(1));
    await copyBare(1);
    await mergeBare();
    await client.query('VACUUM ANALYZE prices, bare_prices, import_rows');
    const changed = await noted('Every price changed', () => importStep(2));
    const changedBare = await measureSeconds(async () => {
      await copyBare(2);
      await mergeBare();
    });
    printFigure({
      figure: 'import-prices-changed',
      value: rows / changed.seconds,
      unit: 'rows/s',
      against: { name: 'COPY and one merge', value: rows / changedBare },
      reach: { of: 'ratio', atLeast: 0.6 },
      detail: { ...changed },
    });
    const same = await noted('The same again', () => importStep(2));
    const sameBare = await measureSeconds(async () => {
      await copyBare(2);
      await compareBare();
    });
    printFigure({
      figure: 'import-prices-unchanged',
      value: rows / same.seconds,
      unit: 'rows/s',
      against: { name: 'COPY and the comparing join', value: rows / sameBare },
      detail: { ...same },
    });
  } finally {
    await worker.stop();
    await imports.close();
  }
});
