import { fileURLToPath } from 'node:url';
import { createApp } from './app.ts';
import { childEnvironment, type Env, readEnv } from './env.ts';
import { jobs } from './jobs.ts';
import { createLogger } from './platform/logger.ts';
import { superviseProcess } from './process/child-process.ts';
import { openOwnDatabase } from './process/embedded-database.ts';
import { openFrontDoor } from './process/front-door.ts';
import { openIdentity } from './process/identity.ts';
import { addMetrics } from './process/metrics.ts';
import { migrateWhenThere, openDeps } from './process/open-deps.ts';
import { stopOnSignal } from './process/shutdown.ts';

/** Requests in flight get this long when the process is asked to stop; the worker's runs as long again. */
const drainMs = 30_000;

/**
 * The API process. With ROLE=all it also keeps a Postgres (unless DATABASE_URL names one) and a worker process. Whatever is
 * opened is closed in the opposite order.
 */
async function start(env: Env): Promise<void> {
  const startedAt = performance.now();
  const log = createLogger({ level: env.LOG_LEVEL });
  const opened: (() => Promise<void>)[] = [];
  let stopping = false;
  stopOnSignal({
    limitMs: 2 * drainMs + 30_000,
    log,
    async stop() {
      stopping = true;
      for (const close of opened.toReversed()) await close();
    },
  });

  const door = await openFrontDoor({ host: env.HOST, port: env.PORT });
  const url = env.DATABASE_URL ?? (await ownDatabase());
  const applied = await migrateWhenThere(url, jobs, log);
  if (applied.length > 0) log.info({ migrations: applied }, 'The database is up to date.');

  const worker = env.ROLE === 'all' ? startWorker() : undefined;
  const { deps, databaseAnswers, close } = await openDeps({ env, url, log, purpose: 'api' });
  opened.push(close);
  const app = await createApp({
    deps,
    ...(await openIdentity(env, door.port)),
    introspection: env.INTROSPECTION || env.NODE_ENV !== 'production',
    jsonBodyLimit: env.JSON_BODY_LIMIT,
    ready: async () => !stopping && (worker?.isReady() ?? true) && (await databaseAnswers()),
    serverFactory: door.serverFactory,
  });
  addMetrics(app);
  app.addHook('preClose', () => door.drain(drainMs));
  await app.ready();
  opened.push(() => app.close());
  log.info({ port: door.port, ms: Math.round(performance.now() - startedAt) }, 'The API is open.');

  async function ownDatabase(): Promise<string> {
    const database = await openOwnDatabase({ dataDir: env.DATA_DIR, log });
    opened.push(() => database.stop());
    return database.url;
  }

  function startWorker() {
    const child = superviseProcess({
      name: 'worker',
      module: fileURLToPath(new URL('../workers/main.ts', import.meta.url)),
      env: childEnvironment({ ROLE: 'worker', DATABASE_URL: url }),
      drainMs,
      log,
    });
    opened.push(() => child.stop());
    return child;
  }
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
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // oxlint-disable-next-line unicorn/no-process-exit -- the entry point ends its process
  process.exit(1);
}
