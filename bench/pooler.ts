/**
 * Runs of three steps a second through PgBouncer in transaction mode, beside the same without it, in turn. The pooler, which
 * `.ci/install-pgbouncer` builds, runs on the same machine.
 * `node bench/pooler.ts [seconds=4] [rounds=8] [connections=64]`
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { runPooler } from '#test/setup/pgbouncer.ts';
import { startApiProcess } from './lib/api-process.ts';
import { addWorkflows, benchOrg, threeNodes } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { runLoad } from './lib/load.ts';
import { type ThrowawayPostgres, withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { median, significant } from './lib/stats.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [seconds = 4, rounds = 8, connections = 64] = process.argv.slice(2).map(Number);
const warmMs = 4_000;
const drainLimitMs = 120_000;
const logins = ['pooled_app', 'pooled_system'] as const;

/** One way of the product to the database: an API process and a worker, on a database of their own. */
interface Way {
  /** Fires webhooks for a while and waits until their runs have ended. */
  measure(durationMs: number): Promise<Rate>;
  stop(): Promise<void>;
}

interface Rate {
  perSecond: number;
  /** Processor time of each part for a run. */
  micros: Record<string, number>;
}

async function open(postgres: ThrowawayPostgres, name: string): Promise<Way> {
  const databaseUrl = await postgres.createDatabase(name);
  await migrate(databaseUrl, declarations.jobs);
  const blob = threeNodes('core:emit-event', { topic: 'bench.step', data: '{{ trigger.payload.body.number }}' });
  const workflows = await addWorkflows(databaseUrl, { name, blob, tenants: 10 });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { port, user = '', database = '' } = client;
  const host = new URL(databaseUrl).searchParams.get('host') ?? '';
  const pooler =
    name === 'pooled'
      ? await runPooler(
          { host, port, user, database },
          { mode: 'transaction', keepsStatements: true, logins, overSocket: true },
        )
      : undefined;
  const [app, system] = logins;
  const env: Record<string, string> = pooler
    ? { DATABASE_APP_URL: pooler.as(app), DATABASE_SYSTEM_URL: pooler.as(system) }
    : {};
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10, env });
  const worker = await startWorkerProcess({ databaseUrl, env });
  const requests = await Promise.all(
    workflows.map(async ({ tenantId, handle }) => ({
      method: 'POST' as const,
      path: `/api/v1/webhooks/${handle}`,
      headers: { 'content-type': 'application/json', ...(await api.headersFor(tenantId)) },
      body: '{"number":"SO-1001"}',
    })),
  );
  const parts = { api: api.pid, worker: worker.pid, postgres: postgres.pid, ...(pooler && { pooler: pooler.pid() }) };
  const used = () => Object.values(parts).map((pid) => processorSeconds(findFamily(pid)));
  return {
    async measure(durationMs) {
      const before = await drained(client);
      const from = used();
      const { startedAt, errors, errorKinds } = await runLoad({ port: api.port, requests, connections, durationMs });
      if (errors > 0) throw new Error(`${errors} firings were refused: ${JSON.stringify(errorKinds)}`);
      const ended = await drained(client);
      const runs = ended.runs - before.runs;
      const micros = used().map((seconds, at) => significant(((seconds - (from[at] ?? 0)) * 1e6) / runs, 3));
      return {
        perSecond: (runs / (ended.lastEndedAt - startedAt)) * 1_000,
        micros: Object.fromEntries(Object.keys(parts).map((part, at) => [part, micros[at] ?? 0])),
      };
    },
    async stop() {
      await worker.stop();
      await api.stop();
      await pooler?.close();
      await client.end();
    },
  };
}

/** Waits until every run has ended. Returns how many there are, and when the last one ended. */
async function drained(client: pg.Client): Promise<{ runs: number; lastEndedAt: number }> {
  for (const end = Date.now() + drainLimitMs; Date.now() < end; await delay(100)) {
    const { rows } = await client.query<{ open: number; runs: number; lastEndedAt: number }>(
      `SELECT count(*) FILTER (WHERE status <> 'succeeded')::int AS open, count(*)::int AS runs,
         (extract(epoch FROM max(completed_at)) * 1000)::float8 AS "lastEndedAt" FROM runs`,
    );
    if (rows[0]?.open === 0) return rows[0];
  }
  throw new Error(`Runs were still open after ${drainLimitMs / 1_000} s.`);
}

await withPostgres(async (postgres) => {
  const admin = new pg.Client({ connectionString: await postgres.createDatabase('logins') });
  await admin.connect();
  await admin.query(`CREATE ROLE causeway_app LOGIN NOINHERIT; CREATE ROLE causeway_system LOGIN NOINHERIT;
    CREATE ROLE pooled_app LOGIN NOINHERIT IN ROLE causeway_app;
    CREATE ROLE pooled_system LOGIN NOINHERIT IN ROLE causeway_app, causeway_system`);
  await admin.end();
  const ways = { direct: await open(postgres, 'direct'), pooled: await open(postgres, 'pooled') };
  const rates: Record<keyof typeof ways, Rate[]> = { direct: [], pooled: [] };
  try {
    for (const way of Object.values(ways)) await way.measure(warmMs);
    // In turn and for a short while each, so that other work on the machine slows both.
    for (let round = 1; round <= rounds; round += 1)
      for (const name of ['direct', 'pooled'] as const) {
        const rate = await ways[name].measure(seconds * 1_000);
        note(
          `Round ${round}, ${name}: ${significant(rate.perSecond, 3)} runs/s, ${JSON.stringify(rate.micros)} µs a run.`,
        );
        rates[name].push(rate);
      }
  } finally {
    for (const way of Object.values(ways)) await way.stop();
  }
  const perSecond = (way: keyof typeof rates) => median(rates[way].map((rate) => rate.perSecond));
  printFigure({
    figure: 'pooler-runs-per-second',
    value: perSecond('pooled'),
    unit: 'runs/s',
    against: { name: 'without the pooler', value: perSecond('direct') },
    reach: { of: 'ratio', atLeast: 0.95 },
    detail: { seconds, rounds, connections, rates },
  });
});
