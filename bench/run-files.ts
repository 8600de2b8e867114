import { createHash, type Hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { startApiProcess } from './lib/api-process.ts';
import { addWorkflows, benchOrg } from './lib/bench-workflow.ts';
import { printFigure } from './lib/figure.ts';
import { peakMemory } from './lib/import-shop.ts';
import { withPostgres } from './lib/postgres.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

/**
 * Measures the peak memory of a worker whose workflow fetches a file from one server and sends it to another, compared with a file of 1 MiB.
 * `node bench/run-files.ts [MiB=1024]`
 */
const [mebibytes = 1_024] = process.argv.slice(2).map(Number);
const chunk = Buffer.alloc(2 ** 20, 'The goods are in the warehouse. ');

/** Serves a file of n MiB at `/<n>`, and hashes the bodies of PUT requests. */
const sums: { sent: Hash; got: string[] } = { sent: createHash('sha256'), got: [] };
const server = createServer((request, response) => {
  if (request.method === 'PUT') {
    const hash = createHash('sha256');
    request.on('data', (bytes: Buffer) => hash.update(bytes));
    request.on('end', () => {
      sums.got.push(hash.digest('hex'));
      response.end();
    });
    return;
  }
  let left = Number(request.url?.slice(1));
  sums.sent = createHash('sha256');
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': left * chunk.length });
  const more = (): void => {
    for (let isRoom = true; left > 0 && isRoom; left -= 1) {
      sums.sent.update(chunk);
      isRoom = response.write(chunk);
    }
    if (left === 0) response.end();
  };
  response.on('drain', more);
  more();
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

const request = {
  timeout_ms: 300_000,
  method: 'GET',
  url: `http://${host}/{{ trigger.payload.body.size }}`,
  answer: 'file',
};
const put = { timeout_ms: 300_000, method: 'PUT', url: `http://${host}/`, body: '{{ nodes.get.outputs.body }}' };
const step = { node: 'core:http-request', version: '1.0.0', timeout_ms: 300_000 };
const blob = workflowBlobSchema.parse({
  version: 'v1',
  nodes: [
    { id: 'get', ...step, config: request },
    { id: 'put', ...step, config: put },
  ],
  edges: [{ from: { node: 'get' }, to: 'put' }],
});

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('run_files');
  await migrate(databaseUrl, declarations.jobs);
  const [workflow] = await addWorkflows(databaseUrl, { name: 'Files', blob, tenants: 1 });
  if (!workflow) throw new Error('The workflow was not made.');
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-files-'));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 4 });
  const worker = await startWorkerProcess({
    databaseUrl,
    env: { DATA_DIR: dataDir, METRICS_PORT: '0', EGRESS_ALLOW: host },
  });
  const pass = async (size: number): Promise<number> => {
    const began = performance.now();
    const headers = { 'content-type': 'application/json', ...(await api.headersFor(workflow.tenantId)) };
    const url = `http://127.0.0.1:${api.port}/api/v1/webhooks/${workflow.handle}`;
    const fired = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ size: String(size) }) });
    const { run_id: runId } = (await fired.json()) as { run_id: number };
    for (;;) {
      const { rows } = await client.query('SELECT status, error FROM runs WHERE id = $1', [runId]);
      if (rows[0].status === 'failed') throw new Error(rows[0].error);
      if (rows[0].status === 'succeeded') break;
      await delay(100);
    }
    if (sums.got.at(-1) !== sums.sent.digest('hex')) throw new Error('Other bytes arrived than were sent.');
    return (performance.now() - began) / 1_000;
  };
  try {
    for (let n = 0; n < 20; n += 1) await pass(1);
    const before = peakMemory(worker);
    const seconds = await pass(mebibytes);
    const after = peakMemory(worker);
    printFigure({
      figure: 'run-file-memory',
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
await new Promise((closed) => server.close(closed));
