import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createApp } from './app.ts';
import { childEnvironment, type Env, readEnv } from './env.ts';
import { jobs } from './jobs.ts';
import type { Deps } from './platform/deps.ts';
import { createLogger } from './platform/logger.ts';
import { superviseProcess } from './process/child-process.ts';
import { startDemoErp } from './process/demo-erp.ts';
import { openOwnDatabase } from './process/embedded-database.ts';
import { demoBuilt, demoHandle, seedDemo } from './process/first-start.ts';
import { openFrontDoor } from './process/front-door.ts';
import { greeting } from './process/greeting.ts';
import { openIdentity } from './process/identity.ts';
import { addMetrics } from './process/metrics.ts';
import { migrateWhenThere, openDeps } from './process/open-deps.ts';
import { stopOnSignal } from './process/shutdown.ts';

/** Requests in flight get this long when the process is asked to stop; the worker's runs as long again. */
const drainMs = 30_000;
const stopping = new AbortController();
const workerModule = fileURLToPath(new URL('../workers/main.ts', import.meta.url));

/**
 * The API process. With ROLE=all it also keeps a Postgres (unless DATABASE_URL names one), a worker process, and in
 * development the demo's ERP. Whatever is opened is closed in the opposite order.
 */
async function start(given: Env): Promise<void> {
  const isAll = given.ROLE === 'all';
  const log = createLogger({ level: given.LOG_LEVEL });
  const opened: (() => Promise<void>)[] = [];
  stopOnSignal({
    limitMs: 2 * drainMs + 30_000,
    log,
    async stop() {
      stopping.abort();
      for (const close of opened.toReversed()) {
        await close().catch((error: unknown) => log.error({ err: error }, 'A part of the process did not close.'));
      }
    },
  });

  const door = await openFrontDoor({ host: given.HOST, port: given.PORT });
  let url = given.DATABASE_URL;
  if (url === undefined) {
    const database = await openOwnDatabase({ dataDir: given.DATA_DIR, log });
    opened.push(() => database.stop());
    url = database.url;
  }
  const applied = await migrateWhenThere(url, jobs, log);
  if (applied.length > 0) log.info({ migrations: applied }, 'The database was migrated.');

  const wantsErp = isAll && given.SEED_DEMO && given.NODE_ENV !== 'production';
  const erp = wantsErp ? await startDemoErp({ dataDir: given.DATA_DIR, env: childEnvironment({}), log }) : undefined;
  if (erp) opened.push(erp.stop);
  // The demo's ERP listens on loopback, where workflows may otherwise not call.
  const env = { ...given, EGRESS_ALLOW: [...given.EGRESS_ALLOW, ...(erp ? [erp.address] : [])] };

  const { deps, databaseAnswers, close } = await openDeps({ env, url, log, purpose: 'api' });
  opened.push(close);
  const isSeeded = erp !== undefined && (await seedDemo(deps, { erpUrl: erp.url }));

  const workerEnv = { ROLE: 'worker', DATABASE_URL: url, EGRESS_ALLOW: env.EGRESS_ALLOW.join(',') };
  const worker = isAll
    ? superviseProcess({ name: 'worker', module: workerModule, env: childEnvironment(workerEnv), drainMs, log })
    : undefined;
  if (worker) opened.push(() => worker.stop());

  let isSettled = false;
  const ready = async () =>
    isSettled && !stopping.signal.aborted && (worker?.isReady() ?? true) && (await databaseAnswers());
  const app = await createApp({
    deps,
    ...(await openIdentity(env, door.port)),
    introspection: env.INTROSPECTION || env.NODE_ENV !== 'production',
    jsonBodyLimit: env.JSON_BODY_LIMIT,
    ready,
    serverFactory: door.serverFactory,
  });
  addMetrics(app);
  let drained = Promise.resolve();
  app.addHook('preClose', () => drained);
  await app.ready();
  opened.push(async () => {
    drained = door.drain(drainMs);
    await app.close();
  });
  log.info({ port: door.port }, 'The API is open.');

  if (isSeeded) await demoBuilt(deps);
  isSettled = true;
  if (env.NODE_ENV !== 'production') await greet(deps, { port: door.port, erpUrl: erp?.url, ready });
}

async function greet(
  deps: Deps,
  options: { port: number; erpUrl: string | undefined; ready: () => Promise<boolean> },
): Promise<void> {
  while (!(await options.ready())) {
    if (stopping.signal.aborted) return;
    await delay(50);
  }
  const handle = await demoHandle(deps);
  const url = `http://localhost:${options.port}`;
  process.stdout.write(greeting({ url, erpUrl: options.erpUrl, demoHandle: handle, readyMs: performance.now() }));
}

async function main(): Promise<void> {
  const env = readEnv();
  if (env.ROLE !== 'worker') return start(env);
  const { runWorker } = await import('#workers/main.ts');
  return runWorker(env);
}

try {
  await main();
} catch (error) {
  // What a signal interrupts on its way up is no failure.
  if (!stopping.signal.aborted) fail(error);
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // oxlint-disable-next-line unicorn/no-process-exit -- the entry point ends its process
  process.exit(1);
}
