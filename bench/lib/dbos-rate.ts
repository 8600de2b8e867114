import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from './load.ts';
import { startPeer } from './peer.ts';
import type { ThrowawayPostgres } from './postgres.ts';
import { significant } from './stats.ts';

export interface DbosSettings {
  /** Time during which workflows are started; finishing what was started comes on top, at most a minute. */
  readonly seconds: number;
  readonly connections: number;
  readonly poolSize: number;
  readonly processes: number;
}

export interface DbosRate extends DbosSettings {
  /** Finished workflows over the time from the first start to the last finish, warm-up excluded. */
  readonly perSecond: number;
  readonly finished: number;
  readonly drainSeconds: number;
  readonly startP50Ms: number;
  readonly startP99Ms: number;
}

const drainLimitMs = 60_000;
const order = JSON.stringify({ number: 'SO-1001', currency: 'EUR', positions: [{ sku: 'A-1', quantity: '2' }] });

/** Loads the DBOS peer on a database of its own. A start that failed, or a workflow that did not finish, throws. */
export async function measureDbos(postgres: ThrowawayPostgres, settings: DbosSettings): Promise<DbosRate> {
  const server = await startPeer('dbos-server.mjs', {
    DATABASE_URL: await postgres.createDatabase('dbos_bench'),
    POOL_SIZE: String(settings.poolSize),
    PROCESSES: String(settings.processes),
  });
  try {
    const headers = { 'content-type': 'application/json' };
    const plan = { port: server.port, requests: [{ method: 'POST', path: '/start', headers, body: order }] as const };
    const { connections } = settings;
    await runLoad({ ...plan, connections, durationMs: 2000 });
    const before = await drained(server.port);
    const load = await runLoad({ ...plan, connections, durationMs: settings.seconds * 1000 });
    const after = await drained(server.port);
    const finished = after.finished - before.finished;
    if (load.errors > 0) throw new Error(`DBOS refused ${load.errors} starts: ${JSON.stringify(load.errorKinds)}`);
    if (finished !== load.requests) throw new Error(`DBOS finished ${finished} of ${load.requests} workflows.`);
    const elapsedMs = after.lastFinishedAt - load.startedAt;
    return {
      ...settings,
      perSecond: (finished / elapsedMs) * 1000,
      finished,
      drainSeconds: significant(Math.max(0, elapsedMs - load.elapsedMs) / 1000, 3),
      startP50Ms: significant(load.latencyMs.p50, 3),
      startP99Ms: significant(load.latencyMs.p99, 3),
    };
  } finally {
    await server.stop();
  }
}

interface Count {
  readonly started: number;
  readonly finished: number;
  /** Epoch milliseconds of the last finish, which is why polling seldom costs no accuracy. */
  readonly lastFinishedAt: number;
}

async function drained(port: number): Promise<Count> {
  const end = Date.now() + drainLimitMs;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/count`, { signal: AbortSignal.timeout(10_000) });
    const count = (await response.json()) as Count;
    if (count.started > 0 && count.started === count.finished) return count;
    if (Date.now() > end)
      throw new Error(`Only ${count.finished} of ${count.started} workflows finished within a minute.`);
    await sleep(250);
  }
}
