import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { generateKey } from '#src/infra/vault/key-ring.ts';
import { startApiProcess } from './api-process.ts';
import { addWorkflows, benchOrg } from './bench-workflow.ts';
import { printFigure } from './figure.ts';
import { peakMemory } from './import-shop.ts';
import { withPostgres } from './postgres.ts';
import { startWorkerProcess } from './worker-process.ts';

/**
 * Prints how much more memory a worker takes at most when a workflow passes a file of so many MiB on than when it passes files of 1 MiB. The
 * workflow `get` -> `put` finds the size, in MiB, as `trigger.payload.body.size`.
 */
export async function measureFileMemory(options: {
  figure: string;
  mebibytes: number;
  nodes: readonly { id: 'get' | 'put'; node: string; config: object }[];
  /** `host:port` of the servers, separated by commas. */
  allow: string;
  /** Created in this order, so that the ids begin with 1. */
  credentials?: readonly object[];
  /** Throws if other bytes arrived than were sent. */
  assertArrived: (mebibytes: number) => Promise<void>;
}): Promise<void> {
  const { mebibytes } = options;
  const step = { version: '1.0.0', timeout_ms: 600_000 };
  const blob = workflowBlobSchema.parse({
    version: 'v1',
    nodes: options.nodes.map((node) => ({ ...step, ...node })),
    edges: [{ from: { node: 'get' }, to: 'put' }],
  });
  await withPostgres(async (postgres) => {
    const databaseUrl = await postgres.createDatabase('file_memory');
    await migrate(databaseUrl, declarations.jobs);
    const [workflow] = await addWorkflows(databaseUrl, { name: 'Files', blob, tenants: 1 });
    if (!workflow) throw new Error('The workflow was not made.');
    const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-files-'));
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const env = { EGRESS_ALLOW: options.allow, CREDENTIALS_KEY: generateKey(), SECRETS_KEY: generateKey() };
    const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 4, env });
    const worker = await startWorkerProcess({ databaseUrl, env: { ...env, DATA_DIR: dataDir, METRICS_PORT: '0' } });
    const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const headers = { 'content-type': 'application/json', ...(await api.headersFor(workflow.tenantId, ['admin'])) };
      const url = `http://127.0.0.1:${api.port}/api/v1/${path}`;
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as Record<string, unknown>;
    };
    const pass = async (size: number): Promise<number> => {
      const began = performance.now();
      const { run_id: runId } = await post(`webhooks/${workflow.handle}`, { size: String(size) });
      for (;;) {
        const { rows } = await client.query('SELECT status, error FROM runs WHERE id = $1', [runId]);
        if (rows[0].status === 'failed') throw new Error(rows[0].error);
        if (rows[0].status === 'succeeded') break;
        await delay(100);
      }
      await options.assertArrived(size);
      return (performance.now() - began) / 1_000;
    };
    try {
      for (const credential of options.credentials ?? []) await post('credentials', credential);
      for (let n = 0; n < 20; n += 1) await pass(1);
      const before = peakMemory(worker);
      const seconds = await pass(mebibytes);
      const after = peakMemory(worker);
      printFigure({
        figure: options.figure,
        value: after - before,
        unit: 'MiB more of the worker at most',
        reach: { of: 'value', atMost: 32 },
        detail: { mebibytes, seconds: Math.round(seconds), before: Math.round(before), after: Math.round(after) },
      });
    } finally {
      await worker.stop();
      await api.stop();
      await client.end();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
}
