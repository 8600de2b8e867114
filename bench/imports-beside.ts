/**
 * The effect of a stock import, in which every row changes, on other work: the p99 of the order list, and the runs a second of the same
 * worker; each compared with the same without an import. `node bench/imports-beside.ts [seconds=10] [rows=1000000] [orders=10000]`
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startApiProcess } from './lib/api-process.ts';
import { addWorkflows, benchOrg, threeNodes } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { noted, openImportShop, stockFile } from './lib/import-shop.ts';
import { runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { significant } from './lib/stats.ts';

const [seconds = 10, rows = 1_000_000, orders = 10_000] = process.argv.slice(2).map(Number);
await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('imports_beside');
  const imports = await openImportShop(databaseUrl);
  const { shop } = imports;
  await shop.addProducts(rows);
  await shop.addOrders(orders);
  const blob = threeNodes('core:set', { values: { number: '{{ trigger.payload.body.number }}' } });
  const workflows = await addWorkflows(databaseUrl, { name: 'beside', blob, tenants: 10 });
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
  const worker = await imports.startWorker();
  const list = { method: 'GET' as const, path: '/v1/orders?limit=50', headers: shop.keyHeaders };
  const firings = await Promise.all(
    workflows.map(async ({ tenantId, handle }) => ({
      method: 'POST' as const,
      path: `/api/v1/webhooks/${handle}`,
      headers: { 'content-type': 'application/json', ...(await api.headersFor(tenantId)) },
      body: '{"number":"SO-1"}',
    })),
  );
  const measureLoad = (requests: typeof firings | (typeof list)[], connections: number) =>
    runLoad({ port: api.port, requests, connections, durationMs: seconds * 1_000 });
  const listP99 = async (): Promise<number> => {
    const load = await measureLoad([list], 4);
    if (load.errors > 0) throw new Error(JSON.stringify(load.errorKinds));
    return load.latencyMs.p99;
  };
  const finished = async (): Promise<number> =>
    Number((await shop.client.query(`SELECT count(*) AS runs FROM runs WHERE status = 'succeeded'`)).rows[0]?.runs);
  const runRate = async (): Promise<number> => {
    const before = await finished();
    const load = await measureLoad(firings, 16);
    if (load.errors > 0) throw new Error(JSON.stringify(load.errorKinds));
    const rate = ((await finished()) - before) / (load.elapsedMs / 1_000);
    for (;;) {
      const { rows: open } = await shop.client.query(
        `SELECT FROM runs WHERE status IN ('queued', 'running', 'waiting') LIMIT 1`,
      );
      if (open.length === 0) return rate;
      await delay(100);
    }
  };
  let step = 0;
  /** Runs `work` during an import that takes longer. */
  async function besideImport(work: () => Promise<number>): Promise<{ value: number; isBeside: boolean }> {
    step += 1;
    const job = await imports.start({ target: 'stock', format: 'csv', content: stockFile('csv', rows, step) });
    const isAt = async (status: string): Promise<boolean> =>
      (await shop.client.query('SELECT FROM bulk_jobs WHERE id = $1 AND status = $2', [job, status])).rowCount === 1;
    while (!(await isAt('running'))) await delay(50);
    const value = await work();
    const isBeside = await isAt('running');
    await noted('The rest of the import', () => imports.ended(job));
    return { value, isBeside };
  }
  try {
    await listP99();
    await runRate();
    const [idleP99, idleRate] = [await listP99(), await runRate()];
    note(`Idle: p99 ${idleP99.toFixed(1)} ms, ${idleRate.toFixed(0)} runs/s`);
    const p99 = await besideImport(listP99);
    printFigure({
      figure: 'order-list-beside-import',
      value: p99.value,
      unit: 'ms p99',
      against: { name: 'without an import', value: idleP99 },
      reach: { of: 'ratio', atMost: 2 },
      detail: { seconds, rows, orders, isBeside: p99.isBeside },
    });
    const rate = await besideImport(runRate);
    printFigure({
      figure: 'runs-beside-import',
      value: rate.value,
      unit: 'runs/s',
      against: { name: 'without an import', value: idleRate },
      reach: { of: 'ratio', atLeast: 0.5 },
      detail: { seconds, rows, isBeside: rate.isBeside, idle: significant(idleRate) },
    });
  } finally {
    await worker.stop();
    await api.stop();
    await imports.close();
  }
});
