/**
 * Movements of 32 clients, all on one article and then spread over 10,000, beside a bare loop of BEGIN, row-locked UPDATE,
 * INSERT, COMMIT of as many connections in the same run. Clients call the product's service in this process; HTTP is not part
 * of it. Takes of a last 100 pieces by all clients at once come first: the run fails where more than 100 are sold.
 * `node bench/stock-movements.ts [seconds] [clients] [articles]`
 */
import pg from 'pg';
import { verifyStock } from '#src/commerce/stock/stock-verification.service.ts';
import { bookMovement, createBookingBatcher } from '#src/commerce/stock/stock.service.ts';
import { parts } from '#src/domains/domains.ts';
import { systemActor } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';

const [seconds = 10, clients = 32, articles = 10_000] = process.argv.slice(2).map(Number);
const tenantId = 'bench-shop';
const actor = systemActor('bench', tenantId);
const skuOf = (article: number) => `SKU-${article}`;

let calls = 0;
/** Runs `once` by all clients for `seconds`; answers how often a second. */
async function rateOf(once: (client: number, call: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  const until = began + seconds * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < until) {
        await once(client, (calls += 1));
        done += 1;
      }
    }),
  );
  return (done * 1_000) / (performance.now() - began);
}

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('stock');
  await migrate(url, parts.jobs);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`INSERT INTO orgs (id, name) VALUES ('bench', 'Bench')`);
  await admin.query(`INSERT INTO tenants (id, org_id, name) VALUES ($1, 'bench', 'Bench')`, [tenantId]);
  await admin.query(
    `INSERT INTO products (tenant_id, sku, name) SELECT $1, 'SKU-' || n, 'Article' FROM generate_series(0, $2::int) AS n`,
    [tenantId, articles],
  );
  await admin.query(`CREATE TABLE bare_balances (sku text PRIMARY KEY, on_hand numeric NOT NULL);
    CREATE TABLE bare_movements (id bigserial PRIMARY KEY, reference text UNIQUE, sku text, kind text, quantity numeric)`);
  await admin.query(`INSERT INTO bare_balances SELECT 'SKU-' || n, 0 FROM generate_series(0, $1::int) AS n`, [
    articles,
  ]);
  const database = openDatabase({ url, poolSize: 10 });
  const deps = { bookings: createBookingBatcher(database) };
  const bare = new pg.Pool({ connectionString: url, max: clients });

  const book = (kind: 'receipt' | 'issue', sku: string, quantity: string, reference: string) =>
    bookMovement(deps, actor, { sku, kind, quantity, reference });
  const bookBare = async (sku: string, reference: string) => {
    const client = await bare.connect();
    await client.query('BEGIN');
    await client.query({
      name: 'u',
      text: 'UPDATE bare_balances SET on_hand = on_hand + 1 WHERE sku = $1',
      values: [sku],
    });
    await client.query({
      name: 'i',
      text: `INSERT INTO bare_movements (reference, sku, kind, quantity) VALUES ($1, $2, 'receipt', 1)`,
      values: [reference, sku],
    });
    await client.query('COMMIT');
    client.release();
  };

  try {
    note('Selling 100 pieces to 200 buyers ...');
    await book('receipt', skuOf(0), '100', 'last');
    const sold = await Promise.all(
      Array.from({ length: 200 }, (_, buyer) =>
        book('issue', skuOf(0), '1', `sold-${buyer}`).then(
          () => 1,
          (error: unknown) => {
            if (error instanceof AppError) return 0;
            throw error;
          },
        ),
      ),
    );
    const oversold = sold.filter((one) => one === 1).length - 100;

    const spread = () => skuOf(1 + Math.floor(Math.random() * articles));
    const loads = [
      { figure: 'stock-movements-one-article', skuFor: () => skuOf(0), atLeast: 2 },
      { figure: 'stock-movements-spread', skuFor: spread, atLeast: 1 },
    ];
    for (const { figure, skuFor, atLeast } of loads) {
      note(`${figure}: bare loop, then the product, ${seconds} s each ...`);
      const peer = await rateOf((_client, call) => bookBare(skuFor(), `bare-${call}`));
      const value = await rateOf((_client, call) => book('receipt', skuFor(), '1', `booked-${call}`));
      let differences = 0;
      for await (const found of verifyStock(database, tenantId)) differences += found.differences.length;
      if (oversold !== 0 || differences > 0) throw new Error(`${oversold} oversold, ${differences} balances differ.`);
      printFigure({
        figure,
        value,
        unit: 'movements/s',
        against: { name: 'BEGIN, UPDATE, INSERT, COMMIT', value: peer },
        reach: { of: 'ratio', atLeast },
        detail: { seconds, clients, articles, oversold, differences },
      });
    }
  } finally {
    await deps.bookings.drain();
    await bare.end();
    await database.close();
    await admin.end();
  }
});
