/**
 * The first page of a run's steps with their number by node and status, over GraphQL, of runs with many steps and with few.
 * `node bench/run-steps.ts [seconds] [connections] [rounds] [steps] [few] [runs]`
 */
import pg from 'pg';
import { startApiProcess } from './lib/api-process.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, type LoadResult, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { benchOrg, fillProductRuns } from './lib/product-runs.ts';
import { tenantName } from './lib/runs-table.ts';
import { significant } from './lib/stats.ts';

const [seconds = 6, connections = 2, rounds = 3, steps = 10_000, few = 10, runs = 40] = process.argv
  .slice(2)
  .map(Number);
const size = { runs: runs * 2, tenants: 10, workflowsPerTenant: 2 };
/** The runs of a side make their steps side by side, this many before the next run's. */
const batch = 20;
const profile = process.env['CPU_PROF'];

const document = `query ($id: ID!) { run(id: $id) { databaseId status
  stepConnection(first: 25) { edges { node { id nodeId path attempt node version status branch startedAt completedAt durationMs } }
    pageInfo { hasNextPage endCursor } }
  stepCounts { nodeId total byStatus { running succeeded failed skipped waiting } } } }`;

type Side = 'many' | 'few';

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('run_steps');
  note(`Filling ${runs} runs of ${steps} steps and ${runs} of ${few} ...`);
  await fillProductRuns(databaseUrl, size);
  await fillSteps(databaseUrl);
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10, nodeFlags });
  try {
    const requests = { many: [] as LoadRequest[], few: [] as LoadRequest[] };
    for (let run = 1; run <= size.runs; run += 1) {
      requests[run <= runs ? 'many' : 'few'].push({
        method: 'POST',
        path: '/graphql',
        headers: { 'content-type': 'application/json', ...(await api.headersFor(tenantName(run % size.tenants))) },
        body: JSON.stringify({ query: document, variables: { id: run } }),
      });
    }
    const best: Partial<Record<Side, LoadResult>> = {};
    // Alternating, so that both meet the same noise; the best of each, because noise only adds.
    for (let round = 1; round <= rounds; round += 1) {
      for (const side of ['few', 'many'] as const) {
        const load = await runLoad({
          port: api.port,
          requests: requests[side],
          connections,
          warmupMs: 2_000,
          durationMs: seconds * 1_000,
          rejectBody: '"errors":',
        });
        if (load.errors > 0) throw new Error(`${load.errors} requests failed: ${JSON.stringify(load.errorKinds)}`);
        note(
          `Round ${round}: ${side}, p50 ${significant(load.latencyMs.p50, 3)} ms, p99 ${significant(load.latencyMs.p99, 3)} ms`,
        );
        if (load.latencyMs.p99 < (best[side]?.latencyMs.p99 ?? Infinity)) best[side] = load;
      }
    }
    print(best as Record<Side, LoadResult>);
  } finally {
    await api.stop();
  }
});

/** Steps of a loop over ten nodes, one in a hundred failed; those of the runs alternate, as concurrent runs record them. */
async function fillSteps(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const [first, count] of [
      [1, steps],
      [runs + 1, few],
    ]) {
      await client.query(
        `INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, node, node_version, status, branch, inputs, outputs, started_at, completed_at)
         SELECT 'tenant-' || run % ${size.tenants}, run, 'each/' || n / 10 || '/node-' || n % 10, 1, 'node-' || n % 10, 'core:set', '1.0.0',
           CASE WHEN n % 100 = 0 THEN 'failed' ELSE 'succeeded' END, 'default',
           jsonb_build_object('order', n, 'note', repeat('in', 50)), jsonb_build_object('order', n, 'note', repeat('out', 50)),
           timestamptz '2026-01-01Z' + n * interval '1 ms', timestamptz '2026-01-01Z' + (n + 1) * interval '1 ms'
         FROM generate_series(1, $2::int) AS n, generate_series($1::int, $1::int + ${runs - 1}) AS run ORDER BY n / ${batch}, run, n`,
        [first, count],
      );
    }
    await client.query('VACUUM (ANALYZE) steps');
  } finally {
    await client.end();
  }
}

function print(best: Record<Side, LoadResult>): void {
  const value = best.many.latencyMs.p99;
  const summarize = ({ rps, bodyBytes, latencyMs: { p50, p99 } }: LoadResult) => ({
    perSecond: significant(rps, 3),
    p50Ms: significant(p50, 3),
    p99Ms: significant(p99, 3),
    bodyBytes,
  });
  const detail = {
    seconds,
    connections,
    rounds,
    steps,
    runs,
    many: summarize(best.many),
    few: summarize(best.few),
  };
  printFigure({ figure: 'run-steps', value, unit: 'ms p99', reach: { of: 'value', atMost: 30 }, detail });
  printFigure({
    figure: 'run-steps-growth',
    value,
    unit: 'ms p99',
    against: { name: `${few} steps`, value: best.few.latencyMs.p99 },
    reach: { of: 'ratio', atMost: 2 },
    detail,
  });
}
