import type { Deps } from '#src/infra/deps.ts';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress } from '#src/infra/egress/egress.ts';
import type { Env } from '#src/process/env.ts';
import { createRuntime } from '#workers/runtime/runtime.ts';
import { type EngineOptions, startEngine } from './engine.ts';

/** The engine with what its steps touch: requests that leave, and package code in its sandbox. */
export async function openEngine(
  deps: Deps,
  env: Env,
  options: Pick<EngineOptions, 'isHeldBack'> = {},
): Promise<{ stop: () => Promise<void> }> {
  const egress = createEgress({ allow: parseAllowList(env.EGRESS_ALLOW.join(',')) });
  const runtime = await createRuntime({
    production: env.NODE_ENV === 'production',
    allowNoOsBoundary: env.SANDBOX_ALLOW_NO_OS_BOUNDARY,
    onCrash: (crash) => deps.log.warn(crash, 'A sandbox process ended; what it was running fails or is tried again.'),
  });
  const engine = await startEngine(deps, {
    ...options,
    egress,
    runtime,
    concurrency: env.WORKER_CONCURRENCY,
    leaseMs: env.WORKER_LEASE_MS,
  });
  return {
    async stop() {
      await engine.stop();
      await Promise.all([runtime.close(), egress.close()]);
    },
  };
}
