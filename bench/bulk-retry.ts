/**
 * Failed runs of one tenant: how soon they are read as groups, and how fast a bulk action retries them with a worker beside, compared with
 * the same runs fired one by one; with the latency of the tenant's list of workflows meanwhile.
 * `node bench/bulk-retry.ts [runs] [groups] [connections]`
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { type ApiProcess, startApiProcess } from './lib/api-process.ts';
import { addWorkflows, benchOrg, threeNodes } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, type LoadResult, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { significant } from './lib/stats.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [runs = 100_000, groups = 50, connections = 32] = process.argv.slice(2).map(Number);
const tenantId = 'tenant-0';
const limitMs = 1_800_000;
const order = { number: 'SO-1001', currency: 'EUR', positions: [{ sku: 'A-1', quantity: '2' }] };

const listGroups = `{ errorGroups(filter: { status: [OPEN] }, first: ${groups}) { edges { node {
  id code message count firstAt lastAt workflows { count workflow { name } } sampleRun { databaseId error } } } } }`;
const other = '{ workflows(first: 20) { edges { node { id name } } } }';

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('bulk_retry');
  await migrate(databaseUrl, declarations.jobs);
  const blob = threeNodes('core:set', { values: { number: '{{ trigger.payload.body.number }}' } });
  const [workflow] = await addWorkflows(databaseUrl, { name: 'orders', blob, tenants: 1 });
  if (!workflow) throw new Error('There is no workflow.');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
  const worker = await startWorkerProcess({ databaseUrl });
  try {
    note(`Storing ${runs} failed runs in ${groups} groups ...`);
    await fill(client, workflow.workflowId);
    await measureGroups(api, client);

    const fired = await untilEnded(client, api, async () => {
      note(`Firing ${runs} runs one by one over ${connections} connections ...`);
      const requests = [await request(api, `/api/v1/webhooks/${workflow.handle}`, order)];
      const load = await runLoad({ port: api.port, requests, connections, durationMs: limitMs, maxRequests: runs });
      if (load.errors > 0) throw new Error(`Firings were refused: ${JSON.stringify(load.errorKinds)}`);
    });
    const retried = await untilEnded(client, api, async () => {
      note(`Retrying ${runs} runs by filter ...`);
      const input = { filter: { status: ['FAILED'] } };
      const mutation = `mutation ($input: RetryRunsInput!) { retryRuns(input: $input) { ... on RetryRunsPayload { count } ... on Error { message } } }`;
      const body = await graphql<{ retryRuns: { count?: number } }>(api, mutation, { input });
      if (body.retryRuns.count !== runs) throw new Error(JSON.stringify(body));
    });
    const detail = { runs, groups, connections, fired, retried };
    printFigure({
      figure: 'bulk-retry',
      value: retried.perSecond,
      unit: 'runs/s',
      against: { name: 'the same runs fired one by one', value: fired.perSecond },
      reach: { of: 'ratio', atLeast: 0.7 },
      detail,
    });
    printFigure({
      figure: 'bulk-retry-others',
      value: retried.otherP99Ms,
      unit: 'ms p99',
      against: { name: 'while they are fired one by one', value: fired.otherP99Ms },
      reach: { of: 'ratio', atMost: 1.5 },
      detail,
    });
  } finally {
    await client.end();
    await worker.stop();
    await api.stop();
  }
});

async function fill(client: pg.Client, workflowId: number): Promise<void> {
  await client.query('SET ROLE causeway_system');
  await client.query(
    `WITH made AS (
       INSERT INTO error_groups (tenant_id, id, kind, node, code, message)
       SELECT $1, gen_random_uuid(), 'run', 'core:http-request', 'HTTP_' || n, 'The ERP refused it: fault ' || n FROM generate_series(1, $2::int) AS n RETURNING id
     ), listed AS (SELECT array_agg(id) AS ids FROM made), stored AS (
       INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, error, error_group_id, started_at, completed_at)
       SELECT $1, $3, b.id, 1, 'webhook', 'failed', 'call: The ERP refused it: fault ' || n, listed.ids[1 + n % $2::int], now(), now()
       FROM workflow_bundles b, listed, generate_series(1, $4::int) AS n WHERE b.tenant_id = $1 AND b.workflow_id = $3 RETURNING id
     ) INSERT INTO run_payloads (tenant_id, run_id, payload) SELECT $1, id, jsonb_build_object('body', $5::jsonb) FROM stored`,
    [tenantId, groups, workflowId, runs, JSON.stringify(order)],
  );
  await client.query('RESET ROLE');
  await client.query('ANALYZE runs');
}

/** The first read comes right after the runs were stored, to a process that has answered one other query. */
async function measureGroups(api: ApiProcess, client: pg.Client): Promise<void> {
  await graphql(api, other);
  const began = performance.now();
  const first = await graphql<{ errorGroups: { edges: { node: { count: number } }[] } }>(api, listGroups);
  const firstMs = performance.now() - began;
  const counted = first.errorGroups.edges.reduce((sum, { node }) => sum + node.count, 0);
  if (counted !== runs) throw new Error(`${counted} of ${runs} runs are in groups.`);
  const load = await runLoad({
    port: api.port,
    requests: [await request(api, '/graphql', { query: listGroups })],
    connections: 1,
    durationMs: 10_000,
    rejectBody: '"errors":',
  });
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN (ANALYZE, BUFFERS OFF) SELECT g.id, found.* FROM error_groups g CROSS JOIN LATERAL (
       SELECT workflow_id, count(*), max(id) FROM runs WHERE tenant_id = g.tenant_id AND error_group_id = g.id GROUP BY workflow_id
     ) AS found WHERE g.tenant_id = '${tenantId}'`,
  );
  note(rows.map((row) => row['QUERY PLAN']).join('\n'));
  const { p50, p99 } = load.latencyMs;
  printFigure({
    figure: 'error-groups',
    value: p99,
    unit: 'ms p99',
    reach: { of: 'value', atMost: 1_000 },
    detail: { runs, groups, firstMs: significant(firstMs, 3), p50Ms: significant(p50, 3) },
  });
}

interface Rate {
  perSecond: number;
  ended: number;
  otherP99Ms: number;
  otherP50Ms: number;
}

/** Runs that succeed a second from the beginning of `begin` to the last, and the latency of another query meanwhile. */
async function untilEnded(client: pg.Client, api: ApiProcess, begin: () => Promise<void>): Promise<Rate> {
  const before = await countRuns(client);
  const requests = [await request(api, '/graphql', { query: other })];
  const loads: LoadResult[] = [];
  const over = new AbortController();
  const began = Date.now();
  const asking = (async () => {
    while (!over.signal.aborted)
      loads.push(await runLoad({ port: api.port, requests, connections: 1, durationMs: 2_000 }));
  })();
  try {
    await begin();
    for (const until = Date.now() + limitMs; ; await delay(200)) {
      const now = await countRuns(client);
      if (now.open === 0 && now.succeeded - before.succeeded >= runs) {
        const ended = now.succeeded - before.succeeded;
        const worst = loads.map(({ latencyMs }) => latencyMs.p99).toSorted((a, b) => a - b);
        const usual = loads.map(({ latencyMs }) => latencyMs.p50).toSorted((a, b) => a - b);
        const middle = Math.floor(loads.length / 2);
        return {
          perSecond: (ended / (now.lastAt - began)) * 1_000,
          ended,
          // The median of the two-second spans: the longer of the two phases would otherwise meet more of the machine's noise.
          otherP99Ms: worst[middle] ?? Number.NaN,
          otherP50Ms: usual[middle] ?? Number.NaN,
        };
      }
      if (Date.now() > until) throw new Error(`Runs were still open: ${JSON.stringify(now)}`);
    }
  } finally {
    over.abort();
    await asking;
  }
}

async function countRuns(client: pg.Client): Promise<{ open: number; succeeded: number; lastAt: number }> {
  const { rows } = await client.query<{ open: number; succeeded: number; lastAt: number }>(
    `SELECT count(*) FILTER (WHERE status IN ('queued', 'running', 'waiting'))::int AS open, count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded,
       (extract(epoch FROM max(completed_at)) * 1000)::float8 AS "lastAt" FROM runs`,
  );
  return rows[0] as { open: number; succeeded: number; lastAt: number };
}

async function request(api: ApiProcess, path: string, body: object): Promise<LoadRequest> {
  const headers = { 'content-type': 'application/json', ...(await api.headersFor(tenantId)) };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}

async function graphql<Data>(api: ApiProcess, query: string, variables: object = {}): Promise<Data> {
  const headers = { 'content-type': 'application/json', ...(await api.headersFor(tenantId)) };
  const response = await fetch(`http://127.0.0.1:${api.port}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] };
  if (errors) throw new Error(errors[0]?.message);
  return data;
}
