/**
 * Movements of 32 clients, all on one article and then spread over 10,000, beside a bare loop of BEGIN, row-locked UPDATE, INSERT, COMMIT
 * over as many connections in the same run. Clients call the product's service in this process; HTTP is not part of it. First, all clients
 * concurrently take the last 100 pieces: the run fails if more than 100 are sold. `node bench/stock-movements.ts [seconds] [clients]
 * [articles] [rounds]`
 */
import pg from 'pg';
import { verifyStock } from '#src/commerce/stock/stock-verification.service.ts';
import { bookMovement, createBookingBatcher } from '#src/commerce/stock/stock.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { measureRate } from './lib/closed-loop.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { openShop, articleSku } from './lib/shop.ts';
import { median, significant } from './lib/stats.ts';

const [seconds = 5, clients = 32, articles = 10_000, rounds = 3] = process.argv.slice(2).map(Number);

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('stock');
  const shop = await openShop(url);
  const actor = systemActor(benchOrg, shop.tenantId);
  await shop.addProducts(articles);
  await shop.addStock(0);
  await shop.client.query(`
    CREATE TABLE bare_balances (sku text PRIMARY KEY, on_hand numeric NOT NULL) WITH (fillfactor = 70);
    CREATE TABLE bare_movements (id bigserial PRIMARY KEY, reference text UNIQUE, sku text, kind text, quantity numeric);
    INSERT INTO bare_balances SELECT sku, 0 FROM products`);
  await shop.client.query('VACUUM (ANALYZE) bare_balances');
  const database = openDatabase({ url, poolSize: 10 });
  const deps = { bookings: createBookingBatcher(database) };
  const bare = new pg.Pool({ connectionString: url, max: clients });
  let calls = 0;

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

  /** Calls a second, and the processor time of each. */
  async function measure(once: () => Promise<unknown>) {
    const used = () => processorSeconds(findFamily(postgres.pid));
    const [before, own] = [used(), process.cpuUsage()];
    const { perSecond, done } = await measureRate({ seconds, clients }, once);
    const { user, system } = process.cpuUsage(own);
    const micros = { client: (user + system) / done, postgres: ((used() - before) * 1e6) / done };
    return {
      perSecond: significant(perSecond),
      client: significant(micros.client, 3),
      postgres: significant(micros.postgres, 3),
    };
  }

  try {
    note('Selling 100 pieces to 200 buyers ...');
    await book('receipt', articleSku(1), '100', 'last');
    const sold = await Promise.all(
      Array.from({ length: 200 }, (_, buyer) =>
        book('issue', articleSku(1), '1', `sold-${buyer}`).then(
          () => 1,
          (error: unknown) => {
            if (error instanceof AppError) return 0;
            throw error;
          },
        ),
      ),
    );
    const oversold = sold.filter((one) => one === 1).length - 100;

    const anySku = () => articleSku(1 + Math.floor(Math.random() * articles));
    const loads = [
      { figure: 'stock-movements-one-article', skuFor: () => articleSku(1), atLeast: 2 },
      { figure: 'stock-movements-spread', skuFor: anySku, atLeast: 1 },
    ];
    for (const { figure, skuFor, atLeast } of loads) {
      note(`${figure}: bare loop and the product in turn, ${seconds} s each ...`);
      const measured = { bare: [], booked: [] } as Record<'bare' | 'booked', Awaited<ReturnType<typeof measure>>[]>;
      for (let round = 0; round <= rounds; round += 1) {
        const both = {
          bare: await measure(() => bookBare(skuFor(), `bare-${(calls += 1)}`)),
          booked: await measure(() => book('receipt', skuFor(), '1', `booked-${(calls += 1)}`)),
        };
        // The first round warms up.
        if (round === 0) continue;
        measured.bare.push(both.bare);
        measured.booked.push(both.booked);
      }
      let differences = 0;
      for await (const found of verifyStock(database, shop.tenantId)) differences += found.differences.length;
      if (oversold !== 0 || differences > 0) throw new Error(`${oversold} oversold, ${differences} balances differ.`);
      const rate = (side: keyof typeof measured) => median(measured[side].map(({ perSecond }) => perSecond));
      printFigure({
        figure,
        value: rate('booked'),
        unit: 'movements/s',
        against: { name: 'BEGIN, UPDATE, INSERT, COMMIT', value: rate('bare') },
        reach: { of: 'ratio', atLeast },
        detail: { seconds, clients, articles, rounds, oversold, differences, processorMicros: measured },
      });
    }
  } finally {
    await deps.bookings.drain();
    await bare.end();
    await database.close();
    await shop.client.end();
  }
});
