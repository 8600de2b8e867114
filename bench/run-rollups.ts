/**
 * What the rollups of run statistics cost a run: the processor time of Postgres, and the write-ahead log, for ending runs with them and for
 * adding them up, beside the same statement without them. Batches alternate on one database, so that both meet the same noise.
 * `node bench/run-rollups.ts [batches] [runs a batch] [tenants]`
 */
import pg from 'pg';
import { foldRollupChanges, insertRollupChangesSql } from '#src/automation/runs/rollups/run-rollups.store.ts';
import { endRuns } from '#src/automation/runs/run-finishing.store.ts';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { addWorkflows, threeNodes } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { processorSeconds } from './lib/processes.ts';
import { significant } from './lib/stats.ts';

const [batches = 1_000, runsABatch = 20, tenants = 10] = process.argv.slice(2).map(Number);
const system = { sub: null, email: null, channel: 'system' } as const;
const counted = `, counted AS (${insertRollupChangesSql('done', 1)}\n  )`;
/** As the product's connections of this role (docs/decisions/system-role-plans-by-key.md). */
const options = [
  '-c role=causeway_system -c plan_cache_mode=force_generic_plan',
  ...['seqscan', 'hashjoin', 'mergejoin', 'material', 'bitmapscan'].map((node) => `-c enable_${node}=off`),
].join(' ');

interface Session {
  client: pg.Client;
  /** Processor seconds of its backend so far. */
  used: () => number;
}

async function openSession(connectionString: string): Promise<Session> {
  const client = new pg.Client({ connectionString, options });
  client.setTypeParser(pg.types.builtins.INT8, Number);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return { client, used: () => processorSeconds([rows[0]?.pid as number]) };
}

/** A transaction for `endRuns` whose statement has no rollups. */
const withoutRollups = (client: pg.Client) =>
  ({
    query: (statement: pg.QueryConfig) => {
      const text = statement.text.replace(counted, '');
      if (text === statement.text) throw new Error('The statement that ends runs has no rollups to leave out.');
      return client.query({ ...statement, text });
    },
  }) as unknown as Tx;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('run_rollups');
  await migrate(databaseUrl, declarations.jobs);
  await addWorkflows(databaseUrl, { name: 'orders', blob: threeNodes('core:set', { values: {} }), tenants });
  const [filling, counting, bare, folding] = await Promise.all([1, 2, 3, 4].map(() => openSession(databaseUrl)));
  if (!filling || !counting || !bare || !folding) throw new Error('There are no sessions.');
  try {
    const warmUp = Math.ceil(batches / 10);
    note(`Storing ${2 * (batches + warmUp) * runsABatch} runs ...`);
    const runs = await fill(filling.client, 2 * (batches + warmUp) * runsABatch);
    const sides = {
      with: { session: counting, tx: counting.client as unknown as Tx, logBytes: 0, ms: 0 },
      without: { session: bare, tx: withoutRollups(bare.client), logBytes: 0, ms: 0 },
    };
    const began = { with: 0, without: 0, fold: 0 };
    for (let batch = 0; batch < warmUp + batches; batch += 1) {
      if (batch === warmUp) {
        await fold(folding.client);
        Object.assign(began, { with: counting.used(), without: bare.used(), fold: folding.used() });
        for (const side of Object.values(sides)) Object.assign(side, { logBytes: 0, ms: 0 });
      }
      // Each goes first every other time.
      for (const name of batch % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
        const side = sides[name];
        const before = await writtenBytes(filling.client);
        const startedAt = performance.now();
        const ended = await endRuns(side.tx, null, runs.splice(-runsABatch), system);
        side.ms += performance.now() - startedAt;
        if (ended.length !== runsABatch) throw new Error(`${ended.length} of ${runsABatch} runs ended.`);
        side.logBytes += (await writtenBytes(filling.client)) - before;
      }
      if ((batch + 1) % 500 === 0) await fold(folding.client);
    }
    await fold(folding.client);
    const measured = batches * runsABatch;
    const micros = (seconds: number) => significant((seconds * 1e6) / measured, 3);
    const used = {
      with: counting.used() - began.with,
      without: bare.used() - began.without,
      fold: folding.used() - began.fold,
    };
    const { rows } = await filling.client.query<{ runs: number }>('SELECT sum(runs)::bigint AS runs FROM run_rollups');
    printFigure({
      figure: 'run-rollups',
      value: micros(used.with + used.fold - used.without),
      unit: 'µs of Postgres a run',
      detail: {
        runs: measured,
        runsABatch,
        tenants,
        countedRuns: rows[0]?.runs,
        endingMicros: { with: micros(used.with), without: micros(used.without), fold: micros(used.fold) },
        endingMs: {
          with: significant(sides.with.ms / batches, 3),
          without: significant(sides.without.ms / batches, 3),
        },
        logBytesPerRun: {
          with: Math.round(sides.with.logBytes / measured),
          without: Math.round(sides.without.logBytes / measured),
        },
      },
    });
  } finally {
    for (const { client } of [filling, counting, bare, folding]) await client.end();
  }
});

/** Queued runs that began at different times, so that nearly each has a duration of its own. In random order of tenants. */
async function fill(client: pg.Client, count: number) {
  const { rows } = await client.query<{ tenantId: string; runId: number }>(
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, started_at)
     SELECT b.tenant_id, b.workflow_id, b.id, 1, 'webhook', 'queued', now() - random() * interval '10 minutes'
     FROM generate_series(1, $1::int / $2::int) AS n, workflow_bundles b ORDER BY n, random()
     RETURNING tenant_id AS "tenantId", id AS "runId"`,
    [count, tenants],
  );
  return rows.map((row) => ({
    ...row,
    status: 'succeeded' as const,
    error: null,
    result: '{"ok":true}',
    errorGroupId: null,
  }));
}

async function fold(client: pg.Client): Promise<void> {
  const database = {
    withSystem: async (work: (tx: Tx) => Promise<boolean>) => {
      await client.query('BEGIN');
      const more = await work(client as unknown as Tx);
      await client.query('COMMIT');
      return more;
    },
  } as unknown as Database;
  while (await foldRollupChanges({ database }));
}

async function writtenBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`,
  );
  return rows[0]?.bytes as number;
}
