/**
 * Fifty expressions over a stored run with 2 MB of outputs, in one request of an editor, against one expression over the same run.
 * `node bench/expressions.ts [seconds] [rounds] [megabytes]`
 */
import pg from 'pg';
import { type ApiProcess, startApiProcess } from './lib/api-process.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, type LoadResult, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { benchOrg, fillProductRuns } from './lib/product-runs.ts';
import { tenantName } from './lib/runs-table.ts';
import { significant } from './lib/stats.ts';

const [seconds = 6, rounds = 3, megabytes = 2] = process.argv.slice(2).map(Number);
const steps = 20;

const document = `query ($expressions: [String!]!, $runId: ID!) {
  evaluateExpressions(expressions: $expressions, scope: { runId: $runId }) { value type error { message } }
}`;

/** What the fields of a form hold: paths, sums and mapped lists, over three of the run's nodes. */
const expressionsOfForm = (count: number): string[] => {
  const kinds = [
    (id: string, n: number) => `nodes.${id}.outputs.items[${n}].sku`,
    (id: string) => `{{ $count(nodes.${id}.outputs.items) }} items`,
    (id: string, n: number) => `nodes.${id}.outputs.items[sku = "SKU-${n}"].quantity`,
    (id: string, n: number) => `{{ $uppercase(nodes.${id}.outputs.items[${n}].name) }}-{{ run.id }}`,
    () => 'trigger.type',
  ];
  return Array.from({ length: count }, (_, n) => (kinds[n % kinds.length] as (typeof kinds)[0])(`step-${n % 3}`, n));
};

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('expressions');
  await fillProductRuns(databaseUrl, { runs: 100, tenants: 1, workflowsPerTenant: 1 });
  await fillSteps(databaseUrl);
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
  try {
    const best: Partial<Record<'one' | 'fifty', LoadResult>> = {};
    // Alternating, so that both meet the same noise; the best of each, because noise only adds.
    for (let round = 1; round <= rounds; round += 1) {
      for (const [side, count] of [
        ['one', 1],
        ['fifty', 50],
      ] as const) {
        const load = await runLoad({
          port: api.port,
          requests: [await request(api, count)],
          connections: 1,
          warmupMs: 2_000,
          durationMs: seconds * 1_000,
          rejectBody: '"message":',
        });
        if (load.errors > 0) throw new Error(`${load.errors} requests failed: ${JSON.stringify(load.errorKinds)}`);
        note(`Round ${round}: ${side}, p95 ${significant(load.latencyMs.p95, 3)} ms`);
        if (load.latencyMs.p95 < (best[side]?.latencyMs.p95 ?? Infinity)) best[side] = load;
      }
    }
    print(best as Record<'one' | 'fifty', LoadResult>);
  } finally {
    await api.stop();
  }
});

/** Steps of the first run, each with an equal part of the outputs. */
async function fillSteps(databaseUrl: string): Promise<void> {
  const items = Math.round((megabytes * 1_000_000) / steps / 100);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SET ROLE causeway_system');
    await client.query(
      `INSERT INTO steps (tenant_id, run_id, path, node_id, attempt, node, node_version, status, inputs, outputs, started_at, completed_at)
       SELECT $1, 1, 'step-' || n, 'step-' || n, 1, 'set', '1.0.0', 'succeeded', '{}',
         jsonb_build_object('items', (SELECT jsonb_agg(jsonb_build_object('sku', 'SKU-' || i, 'quantity', i % 7, 'name', 'Enamel mug ' || md5(i::text)))
           FROM generate_series(1, $3::int) AS i)), now(), now()
       FROM generate_series(0, $2::int - 1) AS n`,
      [tenantName(0), steps, items],
    );
    await client.query('RESET ROLE');
    await client.query('VACUUM (ANALYZE) steps');
  } finally {
    await client.end();
  }
}

async function request(api: ApiProcess, count: number): Promise<LoadRequest> {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', ...(await api.headersFor(tenantName(0))) },
    body: JSON.stringify({ query: document, variables: { expressions: expressionsOfForm(count), runId: '1' } }),
  };
}

function print({ one, fifty }: Record<'one' | 'fifty', LoadResult>): void {
  const summarize = ({ rps, bodyBytes, latencyMs: { p50, p95, p99 } }: LoadResult) => ({
    perSecond: significant(rps, 3),
    p50Ms: significant(p50, 3),
    p95Ms: significant(p95, 3),
    p99Ms: significant(p99, 3),
    bodyBytes,
  });
  printFigure({
    figure: 'expressions',
    value: fifty.latencyMs.p95,
    unit: 'ms p95',
    against: { name: 'one expression', value: one.latencyMs.p95 },
    reach: { of: 'value', atMost: 40 },
    detail: { seconds, rounds, megabytes, steps, one: summarize(one), fifty: summarize(fifty) },
  });
}
