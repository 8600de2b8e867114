/**
 * Latency of the list of the 50 newest runs as its table grows: p99 over a small table and a large one, in turn, both by the product's own
 * process. `node bench/runs-growth.ts [seconds] [connections] [rounds] [small] [large]`
 */
import { startApiProcess } from './lib/api-process.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadResult, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { benchOrg, fillProductRuns, pageRequests } from './lib/product-runs.ts';
import { significant } from './lib/stats.ts';

// Four connections leave the processor idle in between, so that the latency is the list's and not a queue's.
const [seconds = 6, connections = 4, rounds = 3, small = 10_000, large = 1_000_000] = process.argv.slice(2).map(Number);
const sizes = { small, large };
type Name = keyof typeof sizes;

await withPostgres(async (postgres) => {
  const sides = new Map<Name, () => Promise<LoadResult>>();
  const stops: (() => Promise<void>)[] = [];
  try {
    for (const name of ['small', 'large'] as const) {
      const size = { runs: sizes[name], tenants: 100, workflowsPerTenant: 20 };
      const databaseUrl = await postgres.createDatabase(`runs_${name}`);
      note(`Filling ${size.runs} runs of ${size.tenants} tenants ...`);
      await fillProductRuns(databaseUrl, size);
      const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
      stops.push(() => api.stop());
      const requests = await pageRequests(size, (tenantId) => api.headersFor(tenantId));
      const plan = { port: api.port, requests, connections, warmupMs: 2_000, rejectBody: '"errors":' };
      sides.set(name, () => runLoad({ ...plan, durationMs: seconds * 1_000 }));
    }
    const best: Partial<Record<Name, LoadResult>> = {};
    for (let round = 1; round <= rounds; round += 1) {
      for (const [name, load] of sides) {
        note(`Round ${round}: ${sizes[name]} runs, ${seconds} s over ${connections} connections ...`);
        const result = await load();
        if (result.errors > 0)
          throw new Error(`${result.errors} requests failed: ${JSON.stringify(result.errorKinds)}`);
        note(`  p99 ${significant(result.latencyMs.p99, 3)} ms`);
        // The best of each, because noise only adds.
        if (result.latencyMs.p99 < (best[name]?.latencyMs.p99 ?? Infinity)) best[name] = result;
      }
    }
    print(best as Record<Name, LoadResult>);
  } finally {
    for (const stop of stops) await stop();
  }
});

function print(best: Record<Name, LoadResult>): void {
  const toDetail = ({ rps, latencyMs: { p50, p99 } }: LoadResult) => ({
    rps: significant(rps),
    p50Ms: significant(p50, 3),
    p99Ms: significant(p99, 3),
  });
  printFigure({
    figure: 'newest-runs-growth',
    value: best.large.latencyMs.p99,
    unit: 'ms p99',
    against: { name: `the same list over ${small} runs`, value: best.small.latencyMs.p99 },
    reach: { of: 'ratio', atMost: 1.5 },
    detail: { seconds, connections, rounds, runs: sizes, small: toDetail(best.small), large: toDetail(best.large) },
  });
}
