/**
 * A three-step DBOS workflow behind HTTP: POST /start starts one and answers 202 once DBOS has stored it; GET /count
 * tells how many have finished and when the last one did. Each step returns a small object, so what is measured is
 * the recording of three results, each durable before the next step starts.
 *
 * Settings (environment): DATABASE_URL; POOL_SIZE connections in each process's pool; PROCESSES, since DBOS scales by
 * adding processes and one process is one core. Logging is down to errors, tracing stays off (its default).
 */
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';

const databaseUrl = process.env.DATABASE_URL;
if (!databaseUrl) throw new Error('Set DATABASE_URL to the Postgres database DBOS should use.');
const processes = Number(process.env.PROCESSES ?? 1);
const poolSize = Number(process.env.POOL_SIZE ?? 20);

async function readJson(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return parts.length === 0 ? null : JSON.parse(Buffer.concat(parts).toString('utf8'));
}

const orderWorkflow = DBOS.registerWorkflow(
  async (order) => {
    const mapped = await DBOS.runStep(async () => ({ number: order?.number ?? 'none', positions: 3 }), { name: 'map' });
    const checked = await DBOS.runStep(async () => ({ ...mapped, valid: true }), { name: 'check' });
    return DBOS.runStep(async () => ({ ...checked, accepted: true }), { name: 'accept' });
  },
  { name: 'order' },
);

async function serve() {
  DBOS.setConfig({
    name: 'bench',
    applicationVersion: '1',
    executorID: `bench-${cluster.worker?.id ?? 0}`,
    systemDatabaseUrl: databaseUrl,
    systemDatabasePoolSize: poolSize,
    logLevel: 'error',
  });
  await DBOS.launch();
  const reader = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const server = createServer((request, response) => void answer(request, response, reader));
  // Port 0 is one and the same random port for every process of a cluster.
  server.listen(0, '127.0.0.1', () => ready(server.address().port));
  process.once('SIGTERM', () => process.exit(0));
}

async function answer(request, response, reader) {
  try {
    if (request.method === 'POST' && request.url === '/start') {
      const handle = await DBOS.startWorkflow(orderWorkflow)(await readJson(request));
      return json(response, 202, { id: handle.workflowID });
    }
    if (request.method === 'GET' && request.url === '/count') return json(response, 200, await finished(reader));
    return json(response, 404, { message: 'Not found.' });
  } catch (error) {
    return json(response, 500, { message: error instanceof Error ? error.message : 'failed' });
  }
}

async function finished(reader) {
  const { rows } = await reader.query(
    `SELECT count(*) FILTER (WHERE status = 'SUCCESS')::int AS finished, count(*)::int AS started,
            max(updated_at) FILTER (WHERE status = 'SUCCESS')::float8 AS "lastFinishedAt"
       FROM dbos.workflow_status`,
  );
  return rows[0];
}

function json(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

function ready(port) {
  if (cluster.isWorker) process.send({ port });
  else process.stdout.write(`${JSON.stringify({ ready: true, port })}\n`);
}

/** The first process makes DBOS's tables alone; the others would race it for them. */
async function serveMany() {
  let port = 0;
  for (let started = 0; started < processes; started += 1) {
    const worker = cluster.fork();
    port = await new Promise((resolve) => worker.once('message', (message) => resolve(message.port)));
  }
  process.once('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.kill();
    process.exit(0);
  });
  process.stdout.write(`${JSON.stringify({ ready: true, port })}\n`);
}

await (cluster.isPrimary && processes > 1 ? serveMany() : serve());
