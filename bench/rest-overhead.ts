/**
 * The 50 last runs of one tenant over REST, against the same document over GraphQL on the same server; and against REST on a
 * server that counts requests, all of one user.
 * `node bench/rest-overhead.ts [seconds] [connections] [rounds] [runs]`
 */
import { runRoutes } from '#rest/automation/runs.routes.ts';
import { type ApiProcess, startApiProcess } from './lib/api-process.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, type LoadResult, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { benchOrg, fillProductRuns } from './lib/product-runs.ts';
import { tenantName } from './lib/runs-table.ts';
import { significant } from './lib/stats.ts';

const [seconds = 5, connections = 16, rounds = 3, runs = 100_000] = process.argv.slice(2).map(Number);
const size = { runs, tenants: 100, workflowsPerTenant: 20 };
const faces = ['graphql', 'rest', 'counted'] as const;
/** With the cost of a request in each process, which a busy machine changes little. */
type Load = LoadResult & { processorMicros: Record<'api' | 'postgres', number | undefined> };
type Faces<Of> = Record<(typeof faces)[number], Of>;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('rest_overhead');
  note(`Filling ${runs} runs of ${size.tenants} tenants ...`);
  await fillProductRuns(databaseUrl, size);
  const shared = { databaseUrl, orgId: benchOrg, poolSize: 10 };
  const plain = await startApiProcess(shared);
  const counting = await startApiProcess({ ...shared, rates: 1_000_000 });
  try {
    const servers = { graphql: plain, rest: plain, counted: counting };
    const best: Partial<Faces<Load>> = {};
    // Alternating, so that both meet the same noise; the best of each, because noise only subtracts.
    for (let round = 1; round <= rounds; round++) {
      for (const face of faces) {
        note(`Round ${round}: ${face}, ${seconds} s over ${connections} connections ...`);
        const load = await loadFace(face, servers[face], postgres.pid);
        if (load.rps > (best[face]?.rps ?? 0)) best[face] = load;
      }
    }
    print(best as Faces<Load>);
  } finally {
    await plain.stop();
    await counting.stop();
  }
});

/** GraphQL gets the route's own document, with the variables that the route makes of its query. */
async function buildRequests(face: (typeof faces)[number], api: ApiProcess): Promise<LoadRequest[]> {
  const query = runRoutes.find(({ name }) => name === 'listRuns')?.document;
  const variables = { filter: {}, first: 50, offset: 0, orderBy: { field: 'STARTED_AT', direction: 'DESC' } };
  const body = JSON.stringify({ query, variables });
  const json = { 'content-type': 'application/json' };
  const all = Array.from({ length: size.tenants }, (_, tenant) => api.headersFor(tenantName(tenant)));
  return (await Promise.all(all)).map((headers) =>
    face === 'graphql'
      ? { method: 'POST', path: '/graphql', headers: { ...headers, ...json }, body }
      : { method: 'GET', path: '/api/v1/runs?per_page=50', headers },
  );
}

async function loadFace(face: (typeof faces)[number], api: ApiProcess, postgresPid: number): Promise<Load> {
  const plan = { port: api.port, requests: await buildRequests(face, api), connections, rejectBody: '"errors":' };
  await runLoad({ ...plan, durationMs: 2_000 });
  const used = () => [api.pid, postgresPid].map((pid) => processorSeconds(findFamily(pid)));
  const before = used();
  const load = await runLoad({ ...plan, durationMs: seconds * 1_000 });
  if (load.errors > 0) throw new Error(`${load.errors} requests failed: ${JSON.stringify(load.errorKinds)}`);
  const [ofApi, ofPostgres] = used().map((now, at) =>
    significant(((now - (before[at] ?? 0)) * 1e6) / load.requests, 3),
  );
  return { ...load, processorMicros: { api: ofApi, postgres: ofPostgres } };
}

function print({ graphql, rest, counted }: Faces<Load>): void {
  const toDetail = ({ latencyMs: { p50, p99 }, bodyBytes, processorMicros }: Load) => ({
    p50Ms: significant(p50, 3),
    p99Ms: significant(p99, 3),
    bodyBytes,
    processorMicros,
  });
  const settings = { seconds, connections, rounds, ...size };
  printFigure({
    figure: 'rest-newest-runs',
    value: rest.rps,
    unit: 'requests/s',
    against: { name: 'the same document over GraphQL', value: graphql.rps },
    reach: { of: 'ratio', atLeast: 0.75 },
    detail: { ...settings, graphql: toDetail(graphql), rest: toDetail(rest) },
  });
  printFigure({
    figure: 'rest-newest-runs-counted',
    value: counted.rps,
    unit: 'requests/s',
    against: { name: 'the same without rate limits', value: rest.rps },
    detail: { ...settings, counted: toDetail(counted), rest: toDetail(rest) },
  });
}
