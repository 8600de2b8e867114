/**
 * Counts the records that a poll trigger misses, and those that it fires twice, while its worker is killed, pages fail, and rows change and
 * are deleted. One worker runs at a time. Each is killed after its share of the records, and the next one is started. Reach: 0 missed, 0 twice.
 * `node bench/polling.ts [records=1000000] [kills=20] [pageSize=1000] [failing=0.05] [batch=500]`
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pollConfig } from '#src/automation/polls/polls.inputs.ts';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { addWorkflows, threeNodes } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { startMovingList } from './lib/moving-list.ts';
import { withPostgres } from './lib/postgres.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [records = 1_000_000, kills = 20, pageSize = 1_000, failing = 0.05, batch = 500] = process.argv
  .slice(2)
  .map(Number);
const overlapSeconds = 5;
const lookMs = 100;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('polling');
  await migrate(databaseUrl, declarations.jobs);
  const list = await startMovingList({ rows: records, pageSize, failing });
  const blob = threeNodes('core:set', { values: {} });
  const [workflow] = await addWorkflows(databaseUrl, { name: 'Polled', blob, tenants: 1 });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const config = pollConfig.parse({
    node: { slug: 'core:http-request' },
    config: { url: `http://${list.address}/records`, paging: { by: 'offset' } },
    items: 'data',
    key: 'id',
    watermark: {
      by: 'updated_at',
      field: 'updated_at',
      param: 'query.since',
      order: 'ascending',
      overlap_seconds: overlapSeconds,
    },
    interval_seconds: 86_400,
    batch,
  });
  const { tenantId, workflowId } = workflow as { tenantId: string; workflowId: number };
  const addPoll = () =>
    client.query(
      `WITH made AS (INSERT INTO triggers (tenant_id, workflow_id, type, name, config) VALUES ($1, $2, 'poll', 'Records', $3) RETURNING id)
       INSERT INTO polls (tenant_id, trigger_id, workflow_id, active, requested_at) SELECT $1, id, $2, true, now() FROM made`,
      [tenantId, workflowId, JSON.stringify(config)],
    );
  const look = async (): Promise<{ fired: number; seen: number; isRead: boolean }> => {
    const { rows } = await client.query(
      `SELECT records_fired::int AS fired, records_seen::int AS seen, requested_at IS NULL AND last_success_at IS NOT NULL AS "isRead" FROM polls`,
    );
    return rows[0];
  };
  // On a busy machine, a worker may take longer to start than the start function waits, so this tries again.
  const start = async (tries = 5): ReturnType<typeof startWorkerProcess> => {
    try {
      return await startWorkerProcess({ databaseUrl, env: { EGRESS_ALLOW: list.address } });
    } catch (error) {
      if (tries === 1) throw error;
      return start(tries - 1);
    }
  };
  const began = performance.now();
  let worker: Awaited<ReturnType<typeof start>> | undefined;
  try {
    await addPoll();
    worker = await start();
    for (let kill = 1; kill <= kills; kill += 1) {
      while ((await look()).fired < (records * kill) / (kills + 1)) await delay(lookMs);
      process.kill(worker.pid, 'SIGKILL');
      await worker.stop();
      note(`Killed worker ${kill} after ${(await look()).fired} records.`);
      worker = await start();
    }
    while (!(await look()).isRead) await delay(lookMs);
    const seconds = (performance.now() - began) / 1_000;
    list.rest();
    // Polls twice more, so that the last changes are read.
    for (let time = 0; time < 2; time += 1) {
      await client.query('UPDATE polls SET requested_at = now(), last_success_at = NULL, retry_at = NULL');
      while (!(await look()).isRead) await delay(lookMs);
    }
    const { fired, seen } = await look();
    const { rows } = await client.query<{ id: number; revision: number; times: number }>(
      `SELECT (r ->> 'id')::int AS id, (r ->> 'revision')::int AS revision, count(*)::int AS times
       FROM run_payloads, jsonb_array_elements(payload -> 'records') AS r GROUP BY 1, 2`,
    );
    const known = new Set(rows.map(({ id, revision }) => `${id}/${revision}`));
    const missed = [...list.shown()].filter(([id, revision]) => !known.has(`${id}/${revision}`)).length;
    const twice = rows.filter(({ times }) => times > 1).length;
    const { asked, failed } = list.pages;
    printFigure({
      figure: 'polling-missed-or-twice',
      value: missed + twice,
      unit: 'records',
      reach: { of: 'value', atMost: 0 },
      detail: {
        records,
        kills,
        pageSize,
        batch,
        missed,
        twice,
        fired,
        seen,
        asked,
        failed,
        seconds: Math.round(seconds),
      },
    });
    printFigure({ figure: 'polling-rate', value: fired / seconds, unit: 'records/s', detail: { records, kills } });
  } finally {
    await worker?.stop();
    await client.end();
    list.stop();
  }
});
