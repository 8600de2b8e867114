/**
 * A tenant moves to another installation while it is fired: how long its firings are refused, how many that were accepted are missing in the
 * target, and whether all sums are equal. Each run has a payload, a result, two steps and an entry of the audit log. Both installations have an
 * API and a worker, and one Postgres. `node bench/tenant-move.ts [runs=100000] [firings a second=50]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { generateKey } from '#src/infra/vault/key-ring.ts';
import { startApiProcess } from './lib/api-process.ts';
import { addWorkflows, benchOrg, chainNodes } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [runs = 100_000, perSecond = 50] = process.argv.slice(2).map(Number);
const tenantId = 'tenant-0';
const script = fileURLToPath(new URL('../bin/causeway.ts', import.meta.url));
const archive = await mkdtemp(join(tmpdir(), 'causeway-bench-move-'));
const keyFile = join(archive, 'transfer.key');
await writeFile(keyFile, generateKey());

interface Side {
  url: string;
  env: Record<string, string>;
}

/** Runs a command as the operator of an installation does; returns its JSON and how long it took. */
async function causeway({ url, env }: Side, ...argv: string[]): Promise<{ json: unknown; seconds: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, [script, ...argv, '--json'], {
    env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: url, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`causeway ${argv.join(' ')} ended with ${code}: ${out}`);
  const seconds = (performance.now() - began) / 1_000;
  note(`causeway ${argv.slice(0, 2).join(' ')}: ${seconds.toFixed(1)} s`);
  return { json: JSON.parse(out), seconds };
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const fill = (client: pg.Client, workflowId: number) =>
  client.query(`
    WITH made AS (
      INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, started_at, completed_at)
      SELECT tenant_id, id, bundle_id, 1, 'webhook', 'succeeded', now(), now() FROM workflows, generate_series(1, ${runs}) WHERE id = ${workflowId} RETURNING tenant_id, id
    ), payload AS (
      INSERT INTO run_payloads SELECT tenant_id, id, jsonb_build_object('order', id, 'lines', repeat('x', 200)) FROM made
    ), result AS (
      INSERT INTO run_results SELECT tenant_id, id, jsonb_build_object('sent', id) FROM made
    ), step AS (
      INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, status, started_at, outputs)
      SELECT tenant_id, id, 'step-' || n, 1, 'step-' || n, 'succeeded', now(), jsonb_build_object('value', id) FROM made, generate_series(1, 2) AS n
    )
    INSERT INTO audit_entries (org_id, tenant_id, via_system, channel, action, resource_type, resource_id)
    SELECT '${benchOrg}', tenant_id, true, 'system', 'run.finished', 'workflow_run', id::text FROM made`);

await withPostgres(async (postgres) => {
  const open = async (number: number): Promise<Side> => {
    const url = await postgres.createDatabase(`installation_${number}`);
    await migrate(url, declarations.jobs, { installation: number });
    const dataDir = join(archive, `data-${number}`);
    const keys = { CREDENTIALS_KEY: generateKey(), SECRETS_KEY: generateKey() };
    return { url, env: { INSTALLATION: String(number), DATA_DIR: dataDir, ...keys } };
  };
  const [source, target] = [await open(0), await open(1)];
  const blob = chainNodes(['only'], 'core:set', { values: { ok: true } });
  const [workflow] = await addWorkflows(source.url, { name: 'Orders', blob, tenants: 1 });
  if (!workflow) throw new Error('There is no workflow.');
  note(`Filling ${runs} runs ...`);
  await withClient(source.url, async (client) => {
    await fill(client, workflow.workflowId);
    await client.query('VACUUM ANALYZE');
  });
  const started: Installation[] = [];
  const start = async (side: Side): Promise<Installation> => {
    const one = await startInstallation(side);
    started.push(one);
    return one;
  };
  try {
    const firings = startFirings(workflow.handle, { source: await start(source), target: await start(target) });
    await delay(3_000);
    const options = ['--folder', archive, '--key-file', keyFile];
    const copied = await causeway(source, 'tenant', 'export', tenantId, ...options);
    const loaded = await causeway(target, 'tenant', 'import', ...options);
    const closed = await causeway(source, 'tenant', 'export', tenantId, ...options, '--close');
    const expected = await causeway(source, 'tenant', 'sums', tenantId);
    const opened = await causeway(target, 'tenant', 'import', ...options);
    const found = opened.json as { tables: Record<string, { rows: number }> };
    firings.lead('target');
    await delay(3_000);
    const { accepted, refusedMs } = await firings.stop();
    const present = await withClient(target.url, async (client) => {
      const { rows } = await client.query<{ n: string }>(
        'SELECT count(*) AS n FROM runs WHERE id = ANY($1::bigint[])',
        [accepted],
      );
      return Number(rows[0]?.n);
    });
    const wanted = (expected.json as { tables: Record<string, { rows: number }> }).tables;
    const unequal = Object.keys(wanted).filter((name) => wanted[name]?.rows !== found.tables[name]?.rows);
    printFigure({
      figure: 'tenant-move',
      value: refusedMs / 1_000 - expected.seconds,
      unit: 's refused',
      reach: { of: 'value', atMost: 60 },
      detail: {
        runs,
        perSecond,
        accepted: accepted.length,
        lost: accepted.length - present,
        unequal,
        historyExportSeconds: Math.round(copied.seconds),
        historyImportSeconds: Math.round(loaded.seconds),
        closingSeconds: Math.round(closed.seconds),
        openingSeconds: Math.round(opened.seconds),
      },
    });
  } finally {
    for (const { api, worker } of started) await Promise.all([api.stop(), worker.stop()]);
  }
});
await rm(archive, { recursive: true, force: true });

async function startInstallation({ url, env }: Side) {
  const api = await startApiProcess({ databaseUrl: url, orgId: benchOrg, poolSize: 5, env });
  return { api, worker: await startWorkerProcess({ databaseUrl: url, env }) };
}

type Installation = Awaited<ReturnType<typeof startInstallation>>;
type Processes = Record<'source' | 'target', Installation>;

/** Fires the workflow so often, at the installation that a router would lead to. Notes the ids of accepted runs, and how long none was. */
function startFirings(handle: string, processes: Processes) {
  const accepted: number[] = [];
  let lastAccepted = performance.now();
  let refusedMs = 0;
  let side: keyof Processes = 'source';
  const over = new AbortController();
  const pending = new Set<Promise<void>>();
  const fire = async (): Promise<void> => {
    const { api } = processes[side];
    const headers = { ...(await api.headersFor(tenantId)), 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/webhooks/${handle}`, {
      method: 'POST',
      headers,
      body: '{"n":1}',
    });
    const body = (await response.json()) as Record<string, unknown>;
    if (!response.ok) {
      if (response.status !== 503) throw new Error(`A firing was answered ${response.status}: ${JSON.stringify(body)}`);
      return;
    }
    const id = Number(body['run_id'] ?? body['id']);
    if (!Number.isSafeInteger(id)) throw new Error(`A firing gave no run: ${JSON.stringify(body)}`);
    accepted.push(id);
    refusedMs = Math.max(refusedMs, performance.now() - lastAccepted);
    lastAccepted = performance.now();
  };
  const loop = (async () => {
    while (!over.signal.aborted) {
      const one = fire().finally(() => pending.delete(one));
      pending.add(one);
      await delay(1_000 / perSecond);
    }
    await Promise.all(pending);
  })();
  loop.catch(() => undefined);
  return {
    lead: (to: keyof Processes) => {
      side = to;
    },
    async stop() {
      over.abort();
      await loop;
      return { accepted, refusedMs };
    },
  };
}
