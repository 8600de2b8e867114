import { domains, parts } from '#src/domains/domains.ts';
import { loadChores } from '#src/domains/parts/domain.ts';
import { startChores } from '#src/infra/chores.ts';
import { createLogger } from '#src/infra/logs/logger.ts';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { type Env, readEnv } from '#src/process/env.ts';
import { exitWithMessage } from '#src/process/exit.ts';
import { beginLifetime } from '#src/process/lifetime.ts';
import { migrateWhenThere, openDeps } from '#src/process/open-deps.ts';
import { openDomains } from '#src/process/open-domains.ts';
import { startEngine } from './engine/engine.ts';
import { startScheduler } from './periodic/scheduler.ts';
import { loadHandlers, registerHandlers } from './register.ts';
import { startOutboxRelay } from './relay/outbox-relay.ts';
import { startNodeRuntime } from './runtime/node-runtime.ts';

const drainMs = 30_000;
/** The parent process is gone, and perhaps the database with it; other workers take over what is unfinished by then. */
const orphanedMs = 5_000;

/** Runs a worker until the process receives a stop signal or its parent ends. */
export async function runWorker(env: Env): Promise<void> {
  const redactor = createRedactor();
  const log = createLogger({ level: env.LOG_LEVEL, redactor }).child({ component: 'worker' });
  const lifetime = beginLifetime({ limitMs: drainMs, orphanedMs, log });
  const url = env.DATABASE_URL ?? '';
  try {
    await migrateWhenThere(url, parts.jobs, log);
    const { deps, close } = await openDeps({
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
    const scheduler = startScheduler(deps);
    lifetime.onEnd(() => scheduler.stop());
    const engine = await startEngine(opened.automation, {
      concurrency: env.WORKER_CONCURRENCY,
      leaseMs: env.WORKER_LEASE_MS,
      isHeldBack: scheduler.isBehind,
    });
    lifetime.onEnd(() => engine.stop());
    const relay = await startOutboxRelay(deps, opened.consumers);
    lifetime.onEnd(() => relay.stop());
    await registerHandlers(opened, await loadHandlers(domains));
  } catch (error) {
    if (lifetime.signal.aborted) return;
    await lifetime.end();
    throw error;
  }
  process.send?.('ready');
  log.info('The worker is ready.');
}

if (import.meta.main) await runWorker(readEnv()).catch(exitWithMessage);
