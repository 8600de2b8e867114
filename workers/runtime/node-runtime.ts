import type { Logger } from 'pino';
import type { NodeRuntime } from '#src/automation/node-api/node-runtime.ts';
import type { Egress } from '#src/infra/egress/egress.ts';
import type { Env } from '#src/process/env.ts';
import { boundaryPolicy } from './boundary.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { createBroker } from './tenant-broker.ts';

/** The sandbox as use cases and the engine call it. `start` is called by the first call. */
export function createNodeRuntime(options: { egress: Egress; start: () => Promise<Runtime> }): NodeRuntime {
  let started: Promise<Runtime> | undefined;

  function runtime(): Promise<Runtime> {
    started ??= options.start().catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  }

  return {
    async execute({ credential, state, onLog, ...call }) {
      let sandbox: Runtime;
      try {
        sandbox = await runtime();
      } catch (error) {
        const message = error instanceof Error ? error.message : 'The node runtime does not start.';
        return { ok: false, kind: 'unavailable', error: { message }, logs: [] };
      }
      return sandbox.execute({ ...call, broker: createBroker({ egress: options.egress, onLog, credential, state }) });
    },
    async close() {
      await (await started?.catch(() => undefined))?.close();
    },
  };
}

type RuntimeEnv = Pick<Env, 'NODE_ENV' | 'SANDBOX_ALLOW_NO_OS_BOUNDARY'>;

const startRuntime = (env: RuntimeEnv, log: Logger): Promise<Runtime> =>
  createRuntime({
    ...boundaryPolicy(env),
    onCrash: (crash) => log.warn(crash, 'A sandbox process ended; what it was running fails or is tried again.'),
  });

/** The sandbox of a process that seldom needs one: started by its first call. */
export const openNodeRuntime =
  (env: RuntimeEnv, log: Logger) =>
  (egress: Egress): NodeRuntime =>
    createNodeRuntime({ egress, start: () => startRuntime(env, log) });

/** The sandbox of a worker: started now, so that a worker does not start where production lacks an OS boundary. */
export async function startNodeRuntime(env: RuntimeEnv, log: Logger): Promise<(egress: Egress) => NodeRuntime> {
  const started = await startRuntime(env, log);
  return (egress) => createNodeRuntime({ egress, start: async () => started });
}
