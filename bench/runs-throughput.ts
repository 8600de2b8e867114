import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { type ApiProcess, startApiProcess } from './lib/api-process.ts';
import { addWorkflows, benchOrg, threeNodes } from './lib/bench-workflow.ts';
import { measureDbos } from './lib/dbos-rate.ts';
import { note, printFigure } from './lib/figure.ts';
import { runLoad } from './lib/load.ts';
import { type ThrowawayPostgres, withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { significant } from './lib/stats.ts';
import { startWorkerProcess, type WorkerProcess } from './lib/worker-process.ts';

/**
 * Durable runs a second, beside DBOS in the same run: a webhook fired over HTTP, stored, three nodes whose results are each
 * durable before the next starts, finished. One API process and one worker process, unless told otherwise; each API process is
 * fired at by a load process of its own, over its share of the connections.
 * `node bench/runs-throughput.ts [seconds] [connections] [tenants] [--api N] [--workers N] [--no-peer] [--profile]`
 */
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    api: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    'no-peer': { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
});
const [seconds = 10, connections = 64, tenants = 10] = positionals.map(Number);
const [apiProcesses, workerProcesses] = [Number(flags.api), Number(flags.workers)];
const drainLimitMs = 120_000;
const order = { number: 'SO-1001', currency: 'EUR', positions: [{ sku: 'A-1', quantity: '2' }] };
const nodeFlags = flags.profile ? ['--cpu-prof', '--cpu-prof-dir=profiles'] : [];

const kinds = [
  {
    figure: 'runs-per-second',
    // Acts on the outside (an event), so that its record is waited for before the next node starts.
    blob: threeNodes('core:emit-event', { topic: 'bench.step', data: '{{ trigger.payload.body.number }}' }),
  },
  {
    figure: 'runs-per-second-pure',
    blob: threeNodes('core:set', { values: { number: '{{ trigger.payload.body.number }}' } }),
  },
];

interface Rate {
  perSecond: number;
  finished: number;
  fireP50Ms: number;
  fireP99Ms: number;
  drainSeconds: number;
  processorMicrosPerRun: Record<string, number | undefined>;
  /** These depend on the size of batches, and hardly on other load of the machine. */
  commitsPerRun: number;
  logBytesPerRun: number;
  generatorLoad: number;
}

async function measure(postgres: ThrowawayPostgres, { figure, blob }: (typeof kinds)[number]): Promise<Rate> {
  const url = await postgres.createDatabase(figure.replaceAll('-', '_'));
  await migrate(url, declarations.jobs);
  const workflows = await addWorkflows(url, { name: figure, blob, tenants });
  const apis: ApiProcess[] = [];
  const workers: WorkerProcess[] = [];
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    while (apis.length < apiProcesses)
      apis.push(await startApiProcess({ databaseUrl: url, orgId: benchOrg, poolSize: 10, nodeFlags }));
    while (workers.length < workerProcesses) workers.push(await startWorkerProcess({ databaseUrl: url, nodeFlags }));
    const plans = await Promise.all(
      apis.map(async (api) => ({
        port: api.port,
        requests: await firings(api, workflows),
        connections: Math.ceil(connections / apis.length),
      })),
    );
    const fire = (durationMs: number) => Promise.all(plans.map((plan) => runLoad({ ...plan, durationMs })));
    // Each of several processes is warmed up with as many requests as a single one.
    await fire(3_000 * Math.max(apiProcesses, workerProcesses));
    const warm = await drained(client);
    const used = () =>
      [apis, workers, [postgres]].map((processes) => processorSeconds(processes.flatMap(({ pid }) => findFamily(pid))));
    const before = used();
    const writtenBefore = await written(client);
    const loads = await fire(seconds * 1_000);
    for (const { errors, errorKinds } of loads)
      if (errors > 0) throw new Error(`${errors} firings were refused: ${JSON.stringify(errorKinds)}`);
    const end = await drained(client);
    if (end.succeeded !== end.total) throw new Error(`${end.total - end.succeeded} runs did not succeed.`);
    const finished = end.total - warm.total;
    const startedAt = Math.min(...loads.map((load) => load.startedAt));
    const elapsedMs = end.lastFinishedAt - startedAt;
    const firedMs = Math.max(...loads.map((load) => load.startedAt + load.elapsedMs)) - startedAt;
    const [apiMicros, workerMicros, postgresMicros] = used().map((seconds, at) =>
      significant(((seconds - (before[at] ?? 0)) * 1e6) / finished, 3),
    );
    const writtenAfter = await written(client);
    return {
      perSecond: (finished / elapsedMs) * 1_000,
      finished,
      // If there are several API processes, the figure of the slowest.
      fireP50Ms: significant(Math.max(...loads.map(({ latencyMs }) => latencyMs.p50)), 3),
      fireP99Ms: significant(Math.max(...loads.map(({ latencyMs }) => latencyMs.p99)), 3),
      drainSeconds: significant(Math.max(0, elapsedMs - firedMs) / 1_000, 3),
      processorMicrosPerRun: { api: apiMicros, worker: workerMicros, postgres: postgresMicros },
      commitsPerRun: significant((writtenAfter.commits - writtenBefore.commits) / finished, 2),
      logBytesPerRun: Math.round((writtenAfter.logBytes - writtenBefore.logBytes) / finished),
      generatorLoad: significant(Math.max(...loads.map(({ generatorLoad }) => generatorLoad)), 2),
    };
  } finally {
    await client.end();
    for (const started of [...workers, ...apis]) await started.stop();
  }
}

/** A firing of each workflow, with a token that this API process accepts. */
const firings = (api: ApiProcess, workflows: Awaited<ReturnType<typeof addWorkflows>>) =>
  Promise.all(
    workflows.map(async ({ tenantId, handle }) => ({
      method: 'POST' as const,
      path: `/api/v1/webhooks/${handle}`,
      headers: { 'content-type': 'application/json', ...(await api.headersFor(tenantId)) },
      body: JSON.stringify(order),
    })),
  );

async function drained(client: pg.Client): Promise<{ total: number; succeeded: number; lastFinishedAt: number }> {
  for (const end = Date.now() + drainLimitMs; Date.now() < end; await delay(100)) {
    const { rows } = await client.query(
      `SELECT count(*)::int AS open FROM runs WHERE status IN ('queued', 'running', 'waiting')`,
    );
    if (rows[0].open > 0) continue;
    const { rows: ended } = await client.query(
      `SELECT count(*)::int AS total, count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded,
         (extract(epoch FROM max(completed_at)) * 1000)::float8 AS "lastFinishedAt" FROM runs`,
    );
    return ended[0];
  }
  throw new Error(`Runs were still open after ${drainLimitMs / 1_000} s.`);
}

/** Commits of the database and bytes of the server's write-ahead log since they began. Backends report commits once a second. */
async function written(client: pg.Client): Promise<{ commits: number; logBytes: number }> {
  await delay(1_500);
  const { rows } = await client.query(
    `SELECT xact_commit::int AS commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS "logBytes"
       FROM pg_stat_database WHERE datname = current_database()`,
  );
  return rows[0];
}

await withPostgres(async (postgres) => {
  const peer = flags['no-peer']
    ? undefined
    : await measureDbos(postgres, { seconds, connections: 32, poolSize: 10, processes: 1 });
  for (const kind of kinds) {
    note(`${kind.figure}: firing webhooks of ${tenants} tenants for ${seconds} s over ${connections} connections ...`);
    const rate = await measure(postgres, kind);
    printFigure({
      figure: kind.figure,
      value: rate.perSecond,
      unit: 'runs/s',
      ...(peer && { against: { name: 'DBOS, three steps', value: peer.perSecond } }),
      reach: { of: 'ratio', atLeast: 5 },
      detail: { ...rate, connections, tenants, apiProcesses, workerProcesses },
    });
  }
});
