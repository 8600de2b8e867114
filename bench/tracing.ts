/**
 * Processor time of the API and of the worker for a run of three steps, with no trace recorded, with one in a hundred, and with all, in turn.
 * `node bench/tracing.ts [seconds=8] [rounds=3] [connections=32]`
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { startApiProcess } from './lib/api-process.ts';
import { addWorkflows, benchOrg, threeNodes } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { runLoad } from './lib/load.ts';
import { type ThrowawayPostgres, withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { median, significant } from './lib/stats.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [seconds = 8, rounds = 3, connections = 32] = process.argv.slice(2).map(Number);
const warmMs = 4_000;
const drainLimitMs = 120_000;
const kinds = [
  { name: 'off', ratio: undefined, atMost: undefined },
  { name: '1 in 100', ratio: '0.01', atMost: 1.03 },
  { name: 'all', ratio: '1', atMost: 1.25 },
];

/** Processor time in microseconds for each run. */
async function measure(postgres: ThrowawayPostgres, database: string, env: Record<string, string>): Promise<number> {
  const databaseUrl = await postgres.createDatabase(database);
  await migrate(databaseUrl, declarations.jobs);
  const blob = threeNodes('core:emit-event', { topic: 'bench.step', data: '{{ trigger.payload.body.number }}' });
  const workflows = await addWorkflows(databaseUrl, { name: 'Traced', blob, tenants: 5 });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10, env });
  const worker = await startWorkerProcess({ databaseUrl, env });
  try {
    const requests = await Promise.all(
      workflows.map(async ({ tenantId, handle }) => ({
        method: 'POST' as const,
        path: `/api/v1/webhooks/${handle}`,
        headers: { 'content-type': 'application/json', ...(await api.headersFor(tenantId)) },
        body: '{"number":"SO-1001"}',
      })),
    );
    const fire = (durationMs: number) => runLoad({ port: api.port, requests, connections, durationMs });
    await fire(warmMs);
    const before = await drained(client);
    const used = () => processorSeconds([api.pid, worker.pid].flatMap(findFamily));
    const from = used();
    await fire(seconds * 1_000);
    const ended = await drained(client);
    // The last spans are sent within a second.
    await delay(1_500);
    return ((used() - from) * 1e6) / (ended - before);
  } finally {
    await worker.stop();
    await api.stop();
    await client.end();
  }
}

/** Waits until every run has ended. Returns how many there are. */
async function drained(client: pg.Client): Promise<number> {
  for (const end = Date.now() + drainLimitMs; Date.now() < end; await delay(100)) {
    const { rows } = await client.query<{ open: number; all: number }>(
      `SELECT count(*) FILTER (WHERE status <> 'succeeded')::int AS open, count(*)::int AS all FROM runs`,
    );
    if (rows[0]?.open === 0) return rows[0].all;
  }
  throw new Error(`Runs were still open after ${drainLimitMs / 1_000} s.`);
}

/** A collector that reads what it gets and keeps nothing. */
const collector = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
});
collector.listen(0, '127.0.0.1');
await once(collector, 'listening');
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

await withPostgres(async (postgres) => {
  const micros = new Map<string, number[]>(kinds.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round += 1)
    for (const [at, { name, ratio }] of kinds.entries()) {
      const env: Record<string, string> =
        ratio === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio };
      const took = await measure(postgres, `tracing_${round}_${at}`, env);
      note(`Round ${round}, ${name}: ${significant(took, 3)} microseconds a run.`);
      micros.get(name)?.push(took);
    }
  const off = median(micros.get('off') ?? []);
  for (const { name, atMost } of kinds.slice(1))
    printFigure({
      figure: `tracing-${name.replaceAll(' ', '-')}`,
      value: median(micros.get(name) ?? []),
      unit: 'microseconds of processor time of API and worker for a run',
      against: { name: 'no trace recorded', value: off },
      reach: { of: 'ratio', ...(atMost !== undefined && { atMost }) },
      detail: { seconds, rounds, connections, all: Object.fromEntries(micros) },
    });
});
collector.close();
