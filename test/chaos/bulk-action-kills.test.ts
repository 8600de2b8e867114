import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  auditSince,
  makeRuns,
  newestAudit,
  read,
  start,
  toKey,
} from '#test/operations/bulk-actions/bulk-action-calls.ts';
import { test } from '#test/setup/app-test.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';
import { type OwnProcess, startWorker } from './processes.ts';
import { seeded } from './random.ts';

const kills = 10;
const items = 8_000;

test('a bulk action whose worker is killed ten times in the middle repeats no item and leaves none out', async ({
  api,
}) => {
  // A waiting run has the only place of the workflow, so the runs that the action starts stay queued.
  const { workflowId } = await readyWorkflow(api, { nodes: [node('a', 'set')], settings: { concurrency: 1 } });
  await makeRuns(api, workflowId, { count: 1, status: 'waiting' });
  const ended = await makeRuns(api, workflowId, { count: items, status: 'succeeded' });
  const launch = () => startWorker({ databaseUrl: api.databaseUrl });
  const started: Promise<OwnProcess>[] = [launch()];
  try {
    const since = await newestAudit(api);
    const filter = { workflowId, status: ['SUCCEEDED'] };
    const id = (await start(api, 'rerunRuns', { filter })).bulkAction?.id as string;
    const key = toKey(id);
    const readDone = async (): Promise<number> => {
      const { rows } = await api.database.system.query<{ done: number }>(
        'SELECT done FROM bulk_actions WHERE id = $1',
        [key],
      );
      return rows[0]?.done as number;
    };
    const random = seeded(11);
    const doneAtKills: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const worker = (await started[kill]) as OwnProcess;
      // Meanwhile, for a start takes seconds. It cannot have the action before the first has died.
      started.push(launch());
      const before = await readDone();
      while ((await readDone()) === before) await delay(5);
      await delay(Math.floor(random() * 100));
      worker.signal('SIGKILL');
      await worker.exited;
      doneAtKills.push(await readDone());
      // The lease of the dead would end in ten seconds.
      await api.database.withTenantSql('acme-shop', (tx) =>
        tx.query(`UPDATE bulk_actions SET lease_until = now() WHERE id = $1 AND lease_until IS NOT NULL`, [key]),
      );
    }
    while ((await read(api, id)).status === 'RUNNING') await delay(100);
    const { rows } = await api.database.system.query<{ reruns: number; items: number; most: number }>(
      `SELECT count(*)::int AS reruns, count(DISTINCT rerun_of_id)::int AS items, max(n)::int AS most FROM (
         SELECT rerun_of_id, count(*) OVER (PARTITION BY rerun_of_id) AS n FROM runs WHERE rerun_of_id = ANY($1)
       ) AS made`,
      [ended],
    );
    process.stdout.write(`${JSON.stringify({ test: 'a bulk action under kills', kills, doneAtKills, ...rows[0] })}\n`);
    expect(await read(api, id)).toMatchObject({ status: 'COMPLETED', total: items, done: items, refused: 0 });
    expect(rows).toEqual([{ reruns: items, items, most: 1 }]);
    // In the middle: the action had begun, and had not ended.
    expect(doneAtKills.filter((done) => done > 0 && done < items)).toHaveLength(kills);
    expect(await auditSince(api, since)).toEqual({ 'bulk_action start': 1, 'workflow_run run.started': items });
  } finally {
    for (const one of await Promise.allSettled(started)) {
      if (one.status === 'rejected') continue;
      one.value.signal('SIGKILL');
      await one.value.exited;
    }
  }
}, 900_000);
