import { type Env, readEnv } from '#src/env.ts';
import { jobs } from '#src/jobs.ts';
import { createLogger } from '#src/platform/logger.ts';
import { migrateWhenThere, openDeps } from '#src/process/open-deps.ts';
import { stopOnSignal } from '#src/process/shutdown.ts';
import { handlers } from './handlers.ts';
import { openEngine } from './automation/engine/open-engine.ts';
import { keepPartitions } from './maintenance.ts';
import { registerHandlers } from './register.ts';

const drainMs = 30_000;
/** Whoever started us is gone, and perhaps the database with it; what is not done by then is taken over by others. */
const orphanedMs = 5_000;

/** A worker: takes jobs and runs them, until it is told to stop or the process that started it ends. */
export async function runWorker(env: Env): Promise<void> {
  const log = createLogger({ level: env.LOG_LEVEL }).child({ component: 'worker' });
  const url = env.DATABASE_URL ?? '';
  await migrateWhenThere(url, jobs, log);
  const { deps, close } = await openDeps({ env, url, log, purpose: 'worker' });
  const partitions = keepPartitions(deps);
  await registerHandlers(deps, handlers);
  const engine = await openEngine(deps, env);

  stopOnSignal({
    limitMs: drainMs,
    log,
    async stop() {
      await engine.stop();
      await partitions.stop();
      await close();
    },
  });
  process.once('disconnect', () => {
    log.warn('The process that started this worker ended; so does the worker.');
    setTimeout(() => process.exit(1), orphanedMs).unref();
    process.emit('SIGTERM');
  });
  process.send?.('ready');
  log.info('The worker takes jobs.');
}

if (import.meta.main) {
  try {
    await runWorker(readEnv());
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    // oxlint-disable-next-line unicorn/no-process-exit -- the entry point ends its process
    process.exit(1);
  }
}
