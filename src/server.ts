import { fileURLToPath } from 'node:url';
import type { ConsoleSite } from './console/console-build.ts';
import { createLogger, type Logger } from './infra/logs/logger.ts';
import { createRedactor, type Redactor } from './infra/logs/redact.ts';
import { type SupervisedProcess, superviseProcess } from './process/child-process.ts';
import { assertAlone, openOwnDatabase } from './process/embedded-database.ts';
import { childEnvironment, type Env, misspelledSettings, readEnv } from './process/env.ts';
import { exitWithMessage } from './process/exit.ts';
import { beginLifetime, drainMs, type Lifetime, longestDrainMs } from './process/lifetime.ts';
import { openListener } from './process/listener.ts';
import { openMetrics } from './process/metrics/metrics-server.ts';

const workerModule = fileURLToPath(new URL('../workers/child.ts', import.meta.url));

/**
 * The process of `npm start`: an API, a worker, or with ROLE=all an API with a worker and, unless DATABASE_URL names one, a Postgres of its
 * own. Importing the modules of the API and of the worker takes longer than everything else, so this module imports few others, starts the
 * other processes first, and imports the API meanwhile.
 */
async function start(env: Env, log: Logger, redactor: Redactor, lifetime: Lifetime): Promise<void> {
  // Before the worker and the modules of the API take seconds of processor time from a Causeway that runs already.
  if (env.DATABASE_URL === undefined) await assertAlone(env.DATA_DIR);
  const listener = await openListener({ host: env.HOST, port: env.PORT });
  const metricsServer = await openMetrics(env, log, lifetime);
  const postgres = env.DATABASE_URL === undefined ? startPostgres(env, log, lifetime) : undefined;
  const consoleSite = env.CONSOLE === 'off' ? undefined : startConsole(env, log, lifetime);
  const worker = env.ROLE === 'all' ? startWorker(lifetime, log) : undefined;
  const database = postgres ?? Promise.resolve(env.DATABASE_URL ?? '');
  // Reported where it is awaited.
  database.catch(() => undefined);
  consoleSite?.catch(() => undefined);
  const { runApi } = await import('./api.ts');
  const parts = { ...(consoleSite && { consoleSite }), ...(worker && { worker }) };
  await runApi({ env, log, redactor, lifetime, listener, metricsServer, database, ...parts });
}

/** Resolves with the URL of the database in DATA_DIR. */
async function startPostgres({ DATA_DIR: dataDir }: Env, log: Logger, lifetime: Lifetime): Promise<string> {
  const starting = openOwnDatabase({ dataDir, log });
  lifetime.onEnd(async () => (await starting.catch(() => undefined))?.stop());
  return (await starting).url;
}

/** Built beside the start of Postgres and of the modules, unless an earlier start has left the build. */
async function startConsole({ CONSOLE }: Env, log: Logger, lifetime: Lifetime): Promise<ConsoleSite> {
  const starting =
    CONSOLE === 'watch'
      ? import('./console/watch-console.ts').then(({ watchConsole }) => watchConsole(log))
      : import('./console/open-console.ts').then(({ openConsole }) => openConsole(log));
  lifetime.onEnd(async () => (await starting.catch(() => undefined))?.close());
  return starting;
}

/** The worker waits for its settings: see process/worker-settings.ts. */
function startWorker({ signal: ending, onEnd }: Lifetime, log: Logger): SupervisedProcess {
  const env = childEnvironment({});
  const worker = superviseProcess({ name: 'worker', module: workerModule, env, drainMs, ending, log });
  onEnd(() => worker.stop());
  return worker;
}

/** Checked early, so that the start fails with the reason instead of waiting for a worker that never comes up. */
async function assertBoundary(env: Env): Promise<void> {
  const { boundaryPolicy, probeBoundary, requireBoundary } = await import('#workers/runtime/boundary.ts');
  requireBoundary((await probeBoundary()).boundary, boundaryPolicy(env));
}

async function main(): Promise<void> {
  const env = readEnv();
  if (env.ROLE === 'worker') {
    const { runWorker } = await import('#workers/main.ts');
    return runWorker(env, { openMetrics });
  }
  if (env.NODE_ENV === 'production' && env.ROLE === 'all') await assertBoundary(env);
  const redactor = createRedactor();
  const log = createLogger({ level: env.LOG_LEVEL, redactor });
  for (const sentence of misspelledSettings()) log.warn(sentence);
  const lifetime = beginLifetime({ limitMs: longestDrainMs.api, log });
  try {
    await start(env, log, redactor, lifetime);
  } catch (error) {
    // An error after a signal interrupted the start is not a failure.
    if (lifetime.signal.aborted) return;
    await lifetime.end();
    throw error;
  }
}

await main().catch(exitWithMessage);
