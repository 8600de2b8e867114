/**
 * Calls of one tenant's key, over several concurrent API processes, compared with the arithmetic of its bucket: 200, and 100 a second. All
 * processes are called for the same time, because a single one may not be able to use up the bucket's rate. `node bench/rate-limit.ts
 * [seconds=20] [processes=4] [connections=8]`
 */
import { startApiProcess } from './lib/api-process.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { openShop } from './lib/shop.ts';
import { significant } from './lib/stats.ts';

const [seconds = 20, processes = 4, connections = 8] = process.argv.slice(2).map(Number);
const [perSecond, burst] = [100, 200];
const call = { method: 'GET', path: '/v1/orders/1' } as const;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('rate_limit');
  const shop = await openShop(databaseUrl);
  await shop.addOrders(1);
  const start = () => startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 4, platformRate: perSecond });
  const apis: Awaited<ReturnType<typeof start>>[] = [];
  try {
    while (apis.length < processes) apis.push(await start());
    // The first call of a process is slow, and the bucket would be full meanwhile, so another tenant makes it.
    const other = await openShop(databaseUrl, 'warm-up');
    await other.client.end();
    for (const { port } of apis)
      await runLoad({
        port,
        requests: [{ ...call, headers: other.keyHeaders }],
        connections,
        durationMs: 5_000,
        maxRequests: 20,
      });
    note(`Calling ${processes} processes for ${seconds} s ...`);
    const loads = await Promise.all(
      apis.map(({ port }) =>
        runLoad({
          port,
          requests: [{ ...call, headers: shop.keyHeaders }],
          connections,
          durationMs: seconds * 1_000,
        }),
      ),
    );
    const [began, ended] = [
      Math.min(...loads.map(({ startedAt }) => startedAt)),
      Math.max(...loads.map(({ startedAt, elapsedMs }) => startedAt + elapsedMs)),
    ];
    const admitted = loads.reduce((sum, { requests }) => sum + requests, 0);
    const refused = loads.reduce((sum, { errorKinds }) => sum + (errorKinds['status 429'] ?? 0), 0);
    const failed = loads.reduce((sum, { errors }) => sum + errors, 0) - refused;
    if (failed > 0)
      throw new Error(`${failed} calls failed: ${JSON.stringify(loads.map(({ errorKinds }) => errorKinds))}`);
    const elapsedSeconds = (ended - began) / 1_000;
    const allowed = Math.floor(burst + perSecond * elapsedSeconds);
    printFigure({
      figure: 'rate-limit-admitted',
      value: admitted,
      unit: 'calls',
      against: { name: "the bucket's arithmetic", value: allowed },
      reach: { of: 'ratio', atLeast: 0.99, atMost: 1 },
      detail: {
        calls: admitted + refused,
        processes,
        connections,
        elapsedSeconds: significant(elapsedSeconds),
        overAdmitted: Math.max(0, admitted - allowed),
        underAdmitted: Math.max(0, allowed - admitted),
        refused,
      },
    });
  } finally {
    for (const api of apis) await api.stop();
    await shop.client.end();
  }
});
