/**
 * `createOrder` of three positions, priced and reserved, over GraphQL by 32 clients, beside one hand-written transaction of 14
 * statements a call on the same tables in the same run.
 * `node bench/orders-create.ts [seconds] [clients] [articles] [rounds] [--profile]`
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { verifyStock } from '#src/commerce/stock/stock-verification.service.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { startApiProcess } from './lib/api-process.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { measureRate } from './lib/closed-loop.ts';
import { note, printFigure } from './lib/figure.ts';
import { handWrittenOrders } from './lib/hand-written-order.ts';
import { runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { openShop, articleSku } from './lib/shop.ts';
import { median, significant } from './lib/stats.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { profile: { type: 'boolean', default: false } },
});
const [seconds = 8, clients = 32, articles = 1_000, rounds = 3] = positionals.map(Number);
const lists = 3;
/** Existing orders: plans of statements over empty tables are not representative. */
const before = 20_000;

/** Three different articles. */
function anyThree(): string[] {
  const first = Math.floor(Math.random() * articles);
  const [second, third] = [1, 2].map((part) => Math.floor(((part + Math.random()) * articles) / 3));
  return [first, (first + (second ?? 0)) % articles, (first + (third ?? 0)) % articles].map((at) => articleSku(at + 1));
}

const document = `mutation ($input: CreateOrderInput!) {
  createOrder(input: $input) {
    ... on CreateOrderPayload { order { id number totals { gross } positions { sku unitPrice } } }
    ... on Error { message }
  }
}`;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('orders');
  const shop = await openShop(databaseUrl);
  await shop.addProducts(articles);
  await shop.addStock(1_000_000);
  await shop.addPrices(lists, 'everybody');
  await shop.addOrders(before);
  await shop.reserveOrders();
  await shop.client.query('CREATE SEQUENCE by_hand_numbers START 500000000');
  const { tenantId } = shop;
  const nodeFlags = flags.profile ? ['--cpu-prof', '--cpu-prof-dir=profiles'] : [];
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10, nodeFlags });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: clients });
  const placeByHand = handWrittenOrders(pool, { orgId: benchOrg, tenantId });
  const headers = { 'content-type': 'application/json', ...(await api.headersFor(tenantId, ['admin'])) };
  const requests = Array.from({ length: 1_000 }, () => ({
    method: 'POST' as const,
    path: '/graphql',
    headers,
    body: JSON.stringify({
      query: document,
      variables: { input: { currency: 'EUR', positions: anyThree().map((sku) => ({ sku, quantity: '1' })) } },
    }),
  }));
  const used = () => ({ api: processorSeconds([api.pid]), postgres: processorSeconds(findFamily(postgres.pid)) });
  const ordersNow = async () => Number((await shop.client.query('SELECT count(*) FROM orders')).rows[0].count);

  async function placeOrders(durationMs: number) {
    const [began, ordersBefore] = [used(), await ordersNow()];
    const load = await runLoad({ port: api.port, requests, connections: clients, durationMs, rejectBody: '"message"' });
    if (load.errors > 0) throw new Error(`${load.errors} orders were refused: ${JSON.stringify(load.errorKinds)}`);
    const placed = (await ordersNow()) - ordersBefore;
    if (placed !== load.requests) throw new Error(`${load.requests} orders were confirmed, and ${placed} are there.`);
    const after = used();
    const micros = (process: 'api' | 'postgres') =>
      significant(((after[process] - began[process]) * 1e6) / load.requests, 3);
    return { perSecond: load.rps, load, processorMicros: { api: micros('api'), postgres: micros('postgres') } };
  }

  async function placeAllByHand(duration: number) {
    const [began, own] = [used(), process.cpuUsage()];
    const { perSecond, done } = await measureRate({ seconds: duration, clients }, () => placeByHand(anyThree()));
    const { user, system } = process.cpuUsage(own);
    return {
      perSecond,
      processorMicros: {
        client: significant((user + system) / done, 3),
        postgres: significant(((used().postgres - began.postgres) * 1e6) / done, 3),
      },
    };
  }

  try {
    await placeAllByHand(1);
    await placeOrders(2_000);
    const [byHand, ours] = [[], []] as [
      Awaited<ReturnType<typeof placeAllByHand>>[],
      Awaited<ReturnType<typeof placeOrders>>[],
    ];
    // Alternating, so that both meet the same noise.
    for (let round = 1; round <= rounds; round += 1) {
      byHand.push(await placeAllByHand(seconds));
      ours.push(await placeOrders(seconds * 1_000));
      note(
        `Round ${round}: ${Math.round(ours.at(-1)?.perSecond ?? 0)} of ${Math.round(byHand.at(-1)?.perSecond ?? 0)} orders/s`,
      );
    }
    const database = openDatabase({ url: databaseUrl, poolSize: 2 });
    let differences = 0;
    for await (const found of verifyStock(database, tenantId)) differences += found.differences.length;
    await database.close();
    if (differences > 0) throw new Error(`${differences} balances differ from the ledger.`);
    const rateOfMedian = (all: { perSecond: number }[]) => median(all.map(({ perSecond }) => perSecond));
    printFigure({
      figure: 'create-order',
      value: rateOfMedian(ours),
      unit: 'orders/s',
      against: { name: 'one transaction of 14 statements a call', value: rateOfMedian(byHand) },
      reach: { of: 'ratio', atLeast: 0.8 },
      detail: {
        seconds,
        clients,
        articles,
        lists,
        before,
        rounds,
        ours: ours.map(({ perSecond, processorMicros, load }) => ({
          perSecond: significant(perSecond),
          processorMicros,
          p50Ms: significant(load.latencyMs.p50, 3),
          p99Ms: significant(load.latencyMs.p99, 3),
          generatorLoad: significant(load.generatorLoad, 2),
        })),
        byHand: byHand.map(({ perSecond, processorMicros }) => ({
          perSecond: significant(perSecond),
          processorMicros,
        })),
        sample: ours[0]?.load.sample.slice(0, 300),
        differences,
      },
    });
  } finally {
    await pool.end();
    await api.stop();
    await shop.client.end();
  }
});
