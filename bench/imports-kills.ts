/**
 * Workers killed while they import: a stock CSV in which every row changes something is merged by one worker at a time, each killed some
 * seconds after it was ready. The job must finish, its numbers and the ledger must add up, and nothing may be booked or published twice.
 * `node bench/imports-kills.ts [rows=1000000] [seconds=10]`
 */
import { setTimeout as delay } from 'node:timers/promises';
import { note, printFigure } from './lib/figure.ts';
import { openImportShop, stockFile } from './lib/import-shop.ts';
import { withPostgres } from './lib/postgres.ts';

const [rows = 1_000_000, seconds = 10] = process.argv.slice(2).map(Number);

await withPostgres(async (postgres) => {
  const imports = await openImportShop(await postgres.createDatabase('imports_kills'));
  const { client, tenantId } = imports.shop;
  try {
    await imports.shop.addProducts(rows);
    await client.query(
      `INSERT INTO webhook_destinations (tenant_id, name, url, topics, filter) VALUES ($1, 'ERP', 'https://erp.invalid', '{stock.changed}', 'false')`,
      [tenantId],
    );
    const job = await imports.start({
      target: 'stock',
      format: 'csv',
      content: stockFile('csv', rows, 1),
    });
    const progress = { isDone: false };
    const ended = imports.ended(job).finally(() => {
      progress.isDone = true;
    });
    ended.catch(() => undefined);
    let kills = 0;
    while (!progress.isDone) {
      const worker = await imports.startWorker();
      await Promise.race([delay(seconds * 1_000), ended]);
      if (!progress.isDone) {
        kills += 1;
        process.kill(worker.pid, 'SIGKILL');
        const { rows: at } = await client.query('SELECT phase, rows_read, merged_to FROM bulk_jobs WHERE id = $1', [
          job,
        ]);
        note(`Killed worker ${kills}: ${JSON.stringify(at[0])}`);
      } else {
        await untilTold();
      }
      await worker.stop();
    }
    const outcome = await ended;
    const { rows: found } = await client.query(
      `SELECT (SELECT count(*)::int FROM stock_movements) AS movements,
         (SELECT count(*)::int FROM stock_balances b LEFT JOIN (
            SELECT sku, location, sum(delta) AS on_hand FROM stock_movements GROUP BY 1, 2) AS ledger USING (sku, location)
          WHERE b.on_hand IS DISTINCT FROM ledger.on_hand) AS differences,
         (SELECT count(*)::int FROM outbox_events WHERE topic = 'stock.changed') AS events`,
    );
    const { movements, differences, events } = found[0];
    printFigure({
      figure: 'import-effects-after-kills',
      value: Math.abs(movements - rows) + Math.abs(events - rows) + differences + Math.abs(outcome.written - rows),
      unit: 'lost, doubled or different',
      reach: { of: 'value', atMost: 0 },
      detail: { killedEverySeconds: seconds, kills, ...outcome, movements, events, differences },
    });
  } finally {
    await imports.close();
  }

  async function untilTold(): Promise<void> {
    for (;;) {
      const { rows: left } = await client.query('SELECT FROM import_event_sets LIMIT 1');
      if (left.length === 0) return;
      await delay(200);
    }
  }
});
