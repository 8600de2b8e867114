import type { Logger } from 'pino';
import type { NodeRuntime } from '#src/automation/node-api/node-runtime.ts';
import type { Egress } from '#src/infra/egress/egress.ts';
import type { Env } from '#src/process/env.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { createBroker } from './tenant-broker.ts';

/** The sandbox for use cases outside of runs (testing a node, resolving its config). Nothing starts before its first use. */
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
    async execute({ owner, codeHash, source, credential, state, ...call }) {
      let found: Runtime;
      try {
        found = await runtime();
      } catch (error) {
        const message = error instanceof Error ? error.message : 'The node runtime does not start.';
        return { ok: false, kind: 'unavailable', error: { message }, logs: [] };
      }
      const broker = createBroker({ egress: options.egress, onLog: () => undefined, credential, state });
      return found.execute({ ...call, tenantId: owner, code: { hash: codeHash, source }, broker });
    },
    async close() {
      await (await started?.catch(() => undefined))?.close();
    },
  };
}

/** The same with a sandbox of its own, under the rules that the environment sets. */
export const openNodeRuntime =
  (env: Pick<Env, 'NODE_ENV' | 'SANDBOX_ALLOW_NO_OS_BOUNDARY'>, log: Logger) =>
  (egress: Egress): NodeRuntime =>
    createNodeRuntime({
      egress,
      start: () =>
        createRuntime({
          production: env.NODE_ENV === 'production',
          allowNoOsBoundary: env.SANDBOX_ALLOW_NO_OS_BOUNDARY,
          onCrash: (crash) => log.warn(crash, 'A sandbox process ended by itself.'),
        }),
    });
