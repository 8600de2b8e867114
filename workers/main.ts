import { flushCompileCache } from 'node:module';
import { readDomainSettings } from '#src/domains/domain-settings.ts';
import { declarations, domains } from '#src/domains/domains.ts';
import { loadServices, openDomains } from '#src/domains/open-domains.ts';
import { startBackgroundLoops } from '#src/infra/background/background-loops.ts';
import { infraTasks } from '#src/infra/background/infra-tasks.ts';
import { startPeriodicTasks } from '#src/infra/background/periodic-tasks.ts';
import { createLogger } from '#src/infra/logs/logger.ts';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { type Env, misspelledSettings, readEnv } from '#src/process/env.ts';
import { exitWithMessage } from '#src/process/exit.ts';
import { beginLifetime, longestDrainMs } from '#src/process/lifetime.ts';
import type { openMetrics } from '#src/process/metrics/metrics-server.ts';
import { migrateWhenThere, openDeps } from '#src/process/open-deps.ts';
import { isWorkerLive, checkReadiness } from '#src/process/readiness.ts';
import type { WorkerSettings } from '#src/process/worker-settings.ts';
import { startEngine } from './engine/engine.ts';
import { startScheduler } from './periodic/scheduler.ts';
import { registerHandlers } from './register.ts';
import { startOutboxRelay } from './relay/outbox-relay.ts';
import { startNodeRuntime } from './runtime/node-runtime.ts';

/**
 * The parent process has ended, perhaps together with the database; other workers take over runs that are unfinished by then.
 */
const orphanedMs = 5_000;

export interface WorkerOptions {
  /** Serves the metrics of this process. The child of an API process serves none, as its parent does. */
  openMetrics?: typeof openMetrics;
  /** Resolves with the settings that a parent sends, once it has migrated the database that they name. */
  settings?: () => Promise<WorkerSettings>;
}

/** Runs a worker until the process receives a stop signal or its parent ends. */
export async function runWorker(given: Env, options: WorkerOptions = {}): Promise<void> {
  const redactor = createRedactor();
  const log = createLogger({ level: given.LOG_LEVEL, redactor }).child({ component: 'worker' });
  // The parent of a child process has already logged it.
  if (!options.settings) for (const sentence of misspelledSettings()) log.warn(sentence);
  const lifetime = beginLifetime({ limitMs: longestDrainMs.worker, orphanedMs, log });
  try {
    const metricsServer = await options.openMetrics?.(given, log, lifetime);
    const [openRuntime, loops] = await Promise.all([startNodeRuntime(given, log), loadLoops()]);
    // The same as in src/api.ts.
    flushCompileCache();
    const env = { ...given, ...(await options.settings?.()) };
    const url = env.DATABASE_URL ?? '';
    if (!options.settings) await migrateWhenThere(url, declarations.jobs, { log, installation: given.INSTALLATION });
    const { deps, close, ...checks } = await openDeps({
      env,
      url,
      log,
      redactor,
      purpose: 'worker',
    });
    lifetime.onEnd(close);
    const nodeRuntime = openRuntime(deps.egress);
    lifetime.onEnd(() => nodeRuntime.close());
    await deps.vault.assertKeys();
    const open = await openDomains(domains, { deps, settings: readDomainSettings(env), nodeRuntime });
    lifetime.onEnd(() => open.close());
    const { services } = open;
    const repeating = startPeriodicTasks(deps, [
      ...infraTasks,
      ...domains.flatMap(({ periodicTasks }) => periodicTasks ?? []),
    ]);
    lifetime.onEnd(() => repeating.stop());
    const scheduler = startScheduler(services.automation);
    lifetime.onEnd(() => scheduler.stop());
    const engine = await startEngine(services.automation, {
      concurrency: env.WORKER_CONCURRENCY,
      leaseMs: env.WORKER_LEASE_MS,
      isHeldBack: scheduler.isBehind,
    });
    lifetime.onEnd(() => engine.stop());
    const relay = await startOutboxRelay(deps, services.consumers);
    lifetime.onEnd(() => relay.stop());
    const running = await startBackgroundLoops(services, loops);
    lifetime.onEnd(() => running.stop());
    await registerHandlers(
      services,
      domains.flatMap(({ handlers }) => handlers ?? []),
    );
    const readiness = () =>
      checkReadiness({
        ending: lifetime.signal,
        isStarted: true,
        ...checks,
        workerIsLive: () => isWorkerLive(deps, process.pid),
      });
    if (metricsServer) {
      const { createMetrics } = await import('#src/process/metrics/metrics.ts');
      const slots = () => ({ used: engine.stats().active, all: env.WORKER_CONCURRENCY });
      metricsServer.tell({ registry: createMetrics(deps.database, slots), readiness });
    }
  } catch (error) {
    if (lifetime.signal.aborted) return;
    await lifetime.end();
    throw error;
  }
  process.send?.('ready');
  log.info('The worker is ready.');
}

/** Imports the modules of the domains' worker code while the parent's database starts. */
async function loadLoops() {
  const [loops] = await Promise.all([
    Promise.all(domains.map(async ({ backgroundLoops }) => (await backgroundLoops?.()) ?? [])),
    loadServices(domains),
  ]);
  return loops.flat();
}

if (import.meta.main) await runWorker(readEnv()).catch(exitWithMessage);
