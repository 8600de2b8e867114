/**
 * The 50 newest runs of one tenant with workflow names, over GraphQL, against the bare handler answering the same JSON from
 * the same tables. `node bench/runs-list.ts [seconds] [connections] [rounds] [pool] [runs]`
 */
import { isDeepStrictEqual } from 'node:util';
import { startApiProcess } from './lib/api-process.ts';
import { startBare } from './lib/bare-rate.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, type LoadResult, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { benchOrg, fillProductRuns, pageRequests } from './lib/product-runs.ts';
import { tenantName } from './lib/runs-table.ts';
import { significant } from './lib/stats.ts';

const [seconds = 6, connections = 16, rounds = 3, poolSize = 10, runs = 1_000_000] = process.argv.slice(2).map(Number);
const size = { runs, tenants: 100, workflowsPerTenant: 20 };
// `CPU_PROF=directory` leaves a profile of the API process there.
const profile = process.env['CPU_PROF'];

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('runs_list');
  note(`Filling ${runs} runs of ${size.tenants} tenants ...`);
  const page = await fillProductRuns(databaseUrl, size);
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize, nodeFlags });
  const bare = await startBare(databaseUrl, page, poolSize);
  try {
    const sides = {
      bare: { port: bare.port, requests: bare.requests(size) },
      graphql: { port: api.port, requests: await pageRequests(size, (tenantId) => api.headersFor(tenantId)) },
    };
    await assertSameAnswer(sides.bare, sides.graphql);
    const best: Partial<Record<keyof typeof sides, LoadResult>> = {};
    // Alternating, so that both meet the same noise; the best of each, because noise only subtracts.
    for (let round = 1; round <= rounds; round += 1) {
      for (const side of ['bare', 'graphql'] as const) {
        note(`Round ${round}: ${side}, ${seconds} s over ${connections} connections ...`);
        const load = await loadSide(sides[side]);
        note(`  ${Math.round(load.rps)} requests/s`);
        if (load.rps > (best[side]?.rps ?? 0)) best[side] = load;
      }
    }
    print(best as Record<keyof typeof sides, LoadResult>);
  } finally {
    await bare.stop();
    await api.stop();
  }
});

async function loadSide(side: { port: number; requests: LoadRequest[] }): Promise<LoadResult> {
  const load = await runLoad({
    ...side,
    connections,
    warmupMs: 2_000,
    durationMs: seconds * 1_000,
    rejectBody: '"errors":',
  });
  if (load.errors > 0) throw new Error(`${load.errors} requests failed: ${JSON.stringify(load.errorKinds)}`);
  return load;
}

/** A ratio between different responses means nothing. */
async function assertSameAnswer(...sides: { port: number; requests: LoadRequest[] }[]): Promise<void> {
  const [one, other] = await Promise.all(
    sides.map(async ({ port, requests }) => {
      const { method, path, headers, body } = requests[7] as LoadRequest;
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: body ?? null });
      return response.json() as Promise<{ data: { runs: { edges: unknown[] } } }>;
    }),
  );
  if (one?.data.runs.edges.length !== 50 || !isDeepStrictEqual(one, other)) {
    throw new Error(`The sides answer differently for ${tenantName(7)}: ${JSON.stringify(other).slice(0, 500)}`);
  }
}

function print({ bare, graphql }: Record<'bare' | 'graphql', LoadResult>): void {
  const toDetail = ({ latencyMs: { p50, p99 }, bodyBytes, generatorLoad }: LoadResult) => ({
    p50Ms: significant(p50, 3),
    p99Ms: significant(p99, 3),
    bodyBytes,
    generatorLoad: significant(generatorLoad, 2),
  });
  printFigure({
    figure: 'graphql-newest-runs',
    value: graphql.rps,
    unit: 'requests/s',
    against: { name: 'bare node:http and pg', value: bare.rps },
    reach: { of: 'ratio', atLeast: 0.5 },
    detail: { seconds, connections, rounds, poolSize, ...size, graphql: toDetail(graphql), bare: toDetail(bare) },
  });
}
