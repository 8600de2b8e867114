import type { Logger } from 'pino';
import type { NodeRuntime } from '#src/automation/node-api/node-runtime.ts';
import type { Egress } from '#src/infra/egress/egress.ts';
import type { Env } from '#src/process/env.ts';
import { boundaryPolicy } from './boundary.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { createBroker, createOfflineBroker } from './tenant-broker.ts';

/** The sandbox as use cases and the engine see it. The first call starts it. */
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
    async execute({ credential, state, files, onLog, callLog, holdsSecret, ...call }) {
      let sandbox: Runtime;
      try {
        sandbox = await runtime();
      } catch (error) {
        const message = error instanceof Error ? error.message : 'The node runtime does not start.';
        return { ok: false, kind: 'unavailable', error: { message }, logs: [] };
      }
      const broker =
        call.entry === 'migrate'
          ? createOfflineBroker(onLog)
          : createBroker({ egress: options.egress, onLog, callLog, credential, state, files, holdsSecret });
      return sandbox.execute({ ...call, broker });
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
    onCrash: (crash) => log.warn(crash, 'A sandbox process exited; its executions fail or are retried.'),
  });

/** The sandbox of a process that rarely needs one: the first call starts it. */
export const openNodeRuntime =
  (env: RuntimeEnv, log: Logger) =>
  (egress: Egress): NodeRuntime =>
    createNodeRuntime({ egress, start: () => startRuntime(env, log) });

/** The sandbox of a worker: started immediately, so that no worker starts in production without an OS boundary. */
export async function startNodeRuntime(env: RuntimeEnv, log: Logger): Promise<(egress: Egress) => NodeRuntime> {
  const started = await startRuntime(env, log);
  return (egress) => createNodeRuntime({ egress, start: async () => started });
}
