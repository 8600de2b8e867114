import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { jobs } from '#src/jobs.ts';
import { migrate } from '#src/platform/migrate.ts';
import { startApiProcess } from './lib/api-process.ts';
import { addWorkflows, benchOrg, threeNodes } from './lib/bench-workflow.ts';
import { printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { summarise } from './lib/stats.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

/**
 * From sending a webhook to the start of its first node, on an idle system, beside the commit of one row on the same server.
 * `node bench/runs-latency.ts [firings] [pause ms]`
 */
const [firings = 300, pauseMs = 30] = process.argv.slice(2).map(Number);
const warmup = 30;

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('runs_latency');
  await migrate(url, jobs);
  const blob = threeNodes('core:emit-event', { topic: 'bench.step' });
  const [workflow] = await addWorkflows(url, { name: 'latency', blob, tenants: 1 });
  if (!workflow) throw new Error('The workflow was not made.');
  const api = await startApiProcess({ databaseUrl: url, orgId: benchOrg, poolSize: 10 });
  const worker = await startWorkerProcess({ databaseUrl: url });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CREATE TABLE raw_commits (n int, text text)');
    const headers = { 'content-type': 'application/json', ...(await api.headersFor(workflow.tenantId)) };
    const sentAt = new Map<number, number>();
    const commits: number[] = [];
    for (let n = 0; n < firings + warmup; n += 1) {
      const sent = performance.timeOrigin + performance.now();
      const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/webhooks/${workflow.handle}`, {
        method: 'POST',
        headers,
        body: '{"number":"SO-1"}',
      });
      const { run_id: runId } = (await response.json()) as { run_id: number };
      if (n >= warmup) sentAt.set(runId, sent);
      await delay(pauseMs);
      const began = performance.now();
      await client.query('INSERT INTO raw_commits VALUES ($1, $2)', [n, 'x'.repeat(300)]);
      if (n >= warmup) commits.push(performance.now() - began);
    }
    const { rows } = await client.query<{ run_id: string; at: number }>(
      `SELECT run_id, (extract(epoch FROM min(started_at)) * 1000)::float8 AS at FROM steps WHERE run_id = ANY($1::bigint[]) GROUP BY run_id`,
      [[...sentAt.keys()]],
    );
    const waits = rows.map(({ run_id, at }) => at - (sentAt.get(Number(run_id)) ?? 0));
    if (waits.length !== firings) throw new Error(`${firings - waits.length} runs did not start.`);
    const { p50, p99 } = summarise(waits);
    const commit = summarise(commits);
    const against = { name: 'raw INSERT commit p50', value: commit.p50 };
    const detail = { firings, commitP99Ms: commit.p99 };
    printFigure({
      figure: 'first-node-p50',
      value: p50,
      unit: 'ms',
      against,
      reach: { of: 'value', atMost: 10 },
      detail,
    });
    printFigure({
      figure: 'first-node-p99',
      value: p99,
      unit: 'ms',
      against,
      reach: { of: 'value', atMost: 40 },
      detail,
    });
  } finally {
    await client.end();
    await worker.stop();
    await api.stop();
  }
});
