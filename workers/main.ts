import { isWorkerLive } from '#src/automation/runs/engine/run-leases.store.ts';
import { domains, parts } from '#src/domains/domains.ts';
import { loadChores, loadLoops } from '#src/domains/parts/domain.ts';
import { startChores } from '#src/infra/chores.ts';
import { createLogger, type Logger } from '#src/infra/logs/logger.ts';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { startLoops } from '#src/infra/loops.ts';
import { type Env, readEnv } from '#src/process/env.ts';
import { exitWithMessage } from '#src/process/exit.ts';
import { beginLifetime, type Lifetime } from '#src/process/lifetime.ts';
import type { MetricsServer } from '#src/process/metrics-server.ts';
import { createMetrics } from '#src/process/metrics.ts';
import { migrateWhenThere, openDeps } from '#src/process/open-deps.ts';
import { openDomains } from '#src/process/open-domains.ts';
import { readinessOf } from '#src/process/readiness.ts';
import { startEngine } from './engine/engine.ts';
import { startScheduler } from './periodic/scheduler.ts';
import { loadHandlers, registerHandlers } from './register.ts';
import { startOutboxRelay } from './relay/outbox-relay.ts';
import { startNodeRuntime } from './runtime/node-runtime.ts';

const drainMs = 30_000;
/**
 * The parent process has ended, perhaps together with the database; other workers take over runs that are unfinished by then.
 */
const orphanedMs = 5_000;

/** Opens the port of this process' metrics; closed at the end of its lifetime. */
type OpenMetrics = (env: Env, log: Logger, lifetime: Lifetime) => Promise<MetricsServer>;

/**
 * Runs a worker until the process receives a stop signal or its parent ends. The child of an API process serves no
 * metrics, as its parent does.
 */
export async function runWorker(env: Env, openMetrics?: OpenMetrics): Promise<void> {
  const redactor = createRedactor();
  const log = createLogger({ level: env.LOG_LEVEL, redactor }).child({ component: 'worker' });
  const lifetime = beginLifetime({ limitMs: drainMs, orphanedMs, log });
  const url = env.DATABASE_URL ?? '';
  try {
    const metricsServer = await openMetrics?.(env, log, lifetime);
    await migrateWhenThere(url, parts.jobs, log);
    const { deps, databaseTakesWrites, close } = await openDeps({
      env,
      url,
      log,
      redactor,
      purpose: 'worker',
    });
    lifetime.onEnd(close);
    const nodeRuntime = (await startNodeRuntime(env, log))(deps.egress);
    lifetime.onEnd(() => nodeRuntime.close());
    await deps.vault.assertKeys();
    const open = await openDomains(domains, { deps, nodeRuntime });
    lifetime.onEnd(() => open.close());
    const { opened } = open;
    const repeating = startChores(deps, await loadChores(domains));
    lifetime.onEnd(() => repeating.stop());
    const scheduler = startScheduler(opened.automation);
    lifetime.onEnd(() => scheduler.stop());
    const engine = await startEngine(opened.automation, {
      concurrency: env.WORKER_CONCURRENCY,
      leaseMs: env.WORKER_LEASE_MS,
      isHeldBack: scheduler.isBehind,
    });
    lifetime.onEnd(() => engine.stop());
    const relay = await startOutboxRelay(deps, opened.consumers);
    lifetime.onEnd(() => relay.stop());
    const loops = await startLoops(opened, await loadLoops(domains));
    lifetime.onEnd(() => loops.stop());
    await registerHandlers(opened, await loadHandlers(domains));
    const readiness = () =>
      readinessOf({
        ending: lifetime.signal,
        isStarted: true,
        databaseTakesWrites,
        workerIsLive: () => isWorkerLive(deps, process.pid),
      });
    metricsServer?.tell({ registry: createMetrics(deps.database), readiness });
  } catch (error) {
    if (lifetime.signal.aborted) return;
    await lifetime.end();
    throw error;
  }
  process.send?.('ready');
  log.info('The worker is ready.');
}

if (import.meta.main) await runWorker(readEnv()).catch(exitWithMessage);
