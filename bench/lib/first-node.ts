import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startApiProcess } from './api-process.ts';
import { addWorkflows, benchOrg, threeNodes } from './bench-workflow.ts';
import { summarise, type Summary } from './stats.ts';
import { startWorkerProcess } from './worker-process.ts';

const warmup = 30;

/**
 * Fires a webhook repeatedly on an otherwise idle system whose database is migrated, with a pause in between, and returns the milliseconds
 * from sending each to the start of its first node; beside it, commits of one row.
 */
export async function measureFirstNode(
  databaseUrl: string,
  { firings, pauseMs }: { firings: number; pauseMs: number },
): Promise<{ waits: Summary; commits: Summary }> {
  const blob = threeNodes('core:emit-event', { topic: 'bench.step' });
  const [workflow] = await addWorkflows(databaseUrl, { name: 'First node', blob, tenants: 1 });
  if (!workflow) throw new Error('The workflow was not made.');
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
  const worker = await startWorkerProcess({ databaseUrl });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('CREATE TABLE raw_commits (n int, text text)');
    const headers = { 'content-type': 'application/json', ...(await api.headersFor(workflow.tenantId)) };
    const url = `http://127.0.0.1:${api.port}/api/v1/webhooks/${workflow.handle}`;
    const sentAt = new Map<number, number>();
    const commits: number[] = [];
    for (let n = 0; n < firings + warmup; n += 1) {
      const sent = performance.timeOrigin + performance.now();
      const response = await fetch(url, { method: 'POST', headers, body: '{"number":"SO-1"}' });
      const { run_id: runId } = (await response.json()) as { run_id: number };
      if (n >= warmup) sentAt.set(runId, sent);
      await delay(pauseMs);
      const began = performance.now();
      await client.query('INSERT INTO raw_commits VALUES ($1, $2)', [n, 'x'.repeat(300)]);
      if (n >= warmup) commits.push(performance.now() - began);
    }
    await delay(1_000);
    const { rows } = await client.query<{ run_id: string; at: number }>(
      `SELECT run_id, (extract(epoch FROM min(started_at)) * 1000)::float8 AS at
       FROM steps WHERE run_id = ANY($1::bigint[]) GROUP BY run_id`,
      [[...sentAt.keys()]],
    );
    if (rows.length !== firings) throw new Error(`${firings - rows.length} runs did not start.`);
    // A step's start is stored in whole milliseconds, so a wait may be up to one too short.
    const waits = rows.map(({ run_id, at }) => Math.max(0, at - (sentAt.get(Number(run_id)) ?? 0)));
    return { waits: summarise(waits), commits: summarise(commits) };
  } finally {
    await client.end();
    await worker.stop();
    await api.stop();
  }
}
