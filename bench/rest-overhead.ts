/**
 * The 50 last runs of one tenant over REST, against the same document over GraphQL on the same server.
 * `node bench/rest-overhead.ts [seconds] [connections] [rounds] [runs]`
 */
import { routes } from '#rest/routes.ts';
import { startApiProcess } from './lib/api-process.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, type LoadResult, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { benchOrg, fillProductRuns } from './lib/product-runs.ts';
import { tenantName } from './lib/runs-table.ts';
import { significant } from './lib/stats.ts';

const [seconds = 5, connections = 16, rounds = 3, runs = 100_000] = process.argv.slice(2).map(Number);
const size = { runs, tenants: 100, workflowsPerTenant: 20 };
const faces = ['graphql', 'rest'] as const;
type Faces<Of> = Record<(typeof faces)[number], Of>;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('rest_overhead');
  note(`Filling ${runs} runs of ${size.tenants} tenants ...`);
  await fillProductRuns(databaseUrl, size);
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
  try {
    const headers = await Promise.all(
      Array.from({ length: size.tenants }, (_, tenant) => api.headersFor(tenantName(tenant))),
    );
    const requests = requestsOf(headers);
    const best: Partial<Faces<LoadResult>> = {};
    // In turn, so that both meet the same noise; the best of each, since noise only takes away.
    for (let round = 1; round <= rounds; round++) {
      for (const face of faces) {
        note(`Round ${round}: ${face}, ${seconds} s over ${connections} connections ...`);
        const load = await loadFace(api.port, requests[face]);
        if (load.rps > (best[face]?.rps ?? 0)) best[face] = load;
      }
    }
    print(best as Faces<LoadResult>);
  } finally {
    await api.stop();
  }
});

/** The route's own document is what GraphQL is asked for, with what the route makes of its query. */
function requestsOf(headers: Record<string, string>[]): Faces<LoadRequest[]> {
  const query = routes.find(({ name }) => name === 'listRuns')?.document;
  const variables = { filter: {}, first: 50, offset: 0, orderBy: { field: 'STARTED_AT', direction: 'DESC' } };
  const body = JSON.stringify({ query, variables });
  const json = { 'content-type': 'application/json' };
  return {
    graphql: headers.map((own) => ({ method: 'POST', path: '/graphql', headers: { ...own, ...json }, body })),
    rest: headers.map((own) => ({ method: 'GET', path: '/api/v1/runs?per_page=50', headers: own })),
  };
}

async function loadFace(port: number, requests: LoadRequest[]): Promise<LoadResult> {
  const load = await runLoad({
    port,
    requests,
    connections,
    warmupMs: 2_000,
    durationMs: seconds * 1_000,
    rejectBody: '"errors":',
  });
  if (load.errors > 0) throw new Error(`${load.errors} requests failed: ${JSON.stringify(load.errorKinds)}`);
  return load;
}

function print({ graphql, rest }: Faces<LoadResult>): void {
  const detailOf = ({ latencyMs: { p50, p99 }, bodyBytes }: LoadResult) => ({
    p50Ms: significant(p50, 3),
    p99Ms: significant(p99, 3),
    bodyBytes,
  });
  printFigure({
    figure: 'rest-newest-runs',
    value: rest.rps,
    unit: 'requests/s',
    against: { name: 'the same document over GraphQL', value: graphql.rps },
    reach: { of: 'ratio', atLeast: 0.75 },
    detail: { seconds, connections, rounds, ...size, graphql: detailOf(graphql), rest: detailOf(rest) },
  });
}
