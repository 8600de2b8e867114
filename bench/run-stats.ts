/**
 * `runStats` of a tenant over 30 days by the hour, over GraphQL, with many runs and with few.
 * `node bench/run-stats.ts [seconds] [connections] [rounds] [runs] [few] [tenants]`
 */
import pg from 'pg';
import { insertRollupChangesSql } from '#src/automation/runs/rollups/run-rollups.store.ts';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { type ApiProcess, startApiProcess } from './lib/api-process.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, type LoadResult, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { benchOrg } from './lib/product-runs.ts';
import { tenantName } from './lib/runs-table.ts';
import { significant } from './lib/stats.ts';

const [seconds = 6, connections = 2, rounds = 3, many = 1_000_000, few = 10_000, tenants = 100] = process.argv
  .slice(2)
  .map(Number);
const workflows = 20;
const days = 30;
/** Runs whose changes are not added up yet, as ten seconds of a busy installation leave them. */
const unfolded = 10_000;

const document = `query ($since: DateTime!, $until: DateTime!) { runStats(filter: { since: $since, until: $until }, interval: HOUR) {
  total { total p95Ms } buckets { from succeeded failed cancelled p50Ms p95Ms maxMs } } }`;

await withPostgres(async (postgres) => {
  const sides = {} as Record<'many' | 'few', { api: ApiProcess; requests: LoadRequest[] }>;
  try {
    for (const [side, runs] of Object.entries({ few, many })) {
      const databaseUrl = await postgres.createDatabase(`run_stats_${side}`);
      note(`Filling ${runs} runs of ${tenants} tenants ...`);
      await fill(databaseUrl, runs);
      const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
      sides[side as 'many'] = { api, requests: await buildRequests(api) };
    }
    const best: Partial<Record<'many' | 'few', LoadResult>> = {};
    // Alternating, so that both meet the same noise; the best of each, because noise only adds.
    for (let round = 1; round <= rounds; round += 1) {
      for (const side of ['few', 'many'] as const) {
        const { api, requests } = sides[side];
        const load = await runLoad({
          port: api.port,
          requests,
          connections,
          warmupMs: 2_000,
          durationMs: seconds * 1_000,
          rejectBody: '"errors":',
        });
        if (load.errors > 0) throw new Error(`${load.errors} requests failed: ${JSON.stringify(load.errorKinds)}`);
        note(`Round ${round}: ${side}, p99 ${significant(load.latencyMs.p99, 3)} ms`);
        if (load.latencyMs.p99 < (best[side]?.latencyMs.p99 ?? Infinity)) best[side] = load;
      }
    }
    print(best as Record<'many' | 'few', LoadResult>);
  } finally {
    for (const { api } of Object.values(sides)) await api.stop();
  }
});

/** Runs of all tenants and workflows in turn, evenly over the days; half of them take less than half a second, one in a hundred 5 s. */
async function fill(databaseUrl: string, runs: number): Promise<void> {
  await migrate(databaseUrl, declarations.jobs);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`INSERT INTO orgs (id, name) VALUES ($1, 'Bench')`, [benchOrg]);
    await client.query(
      `INSERT INTO tenants (id, org_id, name) SELECT 'tenant-' || t, $1, 'Tenant ' || t FROM generate_series(0, $2::int - 1) AS t`,
      [benchOrg, tenants],
    );
    await client.query('SET ROLE causeway_system');
    const insert = (table: string, from: number, until: number) =>
      client.query(
        insertRollupChangesSql(
          `(SELECT 'tenant-' || n % ${tenants} AS tenant_id, n % ${tenants} * ${workflows} + n / ${tenants} % ${workflows} AS workflow_id,
              'webhook' AS trigger_type, CASE WHEN n / ${tenants} % 20 = 0 THEN 'failed' ELSE 'succeeded' END AS status,
              ended - (exp(6 + hashint8(n)::float8 / 2147483648 * 2.5) * interval '1 ms') AS started_at, ended AS completed_at, false AS is_test
            FROM generate_series(${from}, ${until}) AS n,
              LATERAL (SELECT now() - interval '${days} days' * (1 - n::float8 / ${runs}) AS ended OFFSET 0) AS ends) AS runs`,
          1,
        ).replace('run_rollup_changes', table),
      );
    const added = Math.max(0, runs - unfolded);
    await insert('run_rollups', 1, added);
    await insert('run_rollup_changes', added + 1, runs);
    await client.query('RESET ROLE');
    await client.query('VACUUM (ANALYZE) run_rollups');
    await client.query('VACUUM (ANALYZE) run_rollup_changes');
  } finally {
    await client.end();
  }
}

async function buildRequests(api: ApiProcess): Promise<LoadRequest[]> {
  const until = new Date();
  const since = new Date(until.getTime() - days * 86_400_000);
  const body = JSON.stringify({ query: document, variables: { since, until } });
  return Promise.all(
    Array.from({ length: tenants }, async (_, n) => ({
      method: 'POST' as const,
      path: '/graphql',
      headers: { 'content-type': 'application/json', ...(await api.headersFor(tenantName(n))) },
      body,
    })),
  );
}

function print(best: Record<'many' | 'few', LoadResult>): void {
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
    runs: many,
    tenants,
    many: summarize(best.many),
    few: summarize(best.few),
  };
  printFigure({ figure: 'run-stats', value, unit: 'ms p99', reach: { of: 'value', atMost: 50 }, detail });
  printFigure({
    figure: 'run-stats-growth',
    value,
    unit: 'ms p99',
    against: { name: `${few} runs`, value: best.few.latencyMs.p99 },
    reach: { of: 'ratio', atMost: 2 },
    detail,
  });
}
