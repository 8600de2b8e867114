import type { Prisma } from '#prisma/client.ts';
import type { TriggerType } from '#prisma/enums.ts';
import { type WorkflowBlob, workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import { fire, type Fired } from '#src/automation/firings/firings.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { type AllowList, parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress } from '#src/infra/egress/egress.ts';
import { type Engine, startEngine } from '#workers/engine/engine.ts';
import { createNodeRuntime } from '#workers/runtime/node-runtime.ts';
import { createRuntime } from '#workers/runtime/runtime.ts';
import type { TestApp } from './app.ts';

type BlobInput = Partial<Omit<WorkflowBlob, 'nodes' | 'edges'>> & { nodes: object[]; edges?: object[] };

/** A node that only says what it must. */
export const node = (id: string, slug: string, config: object = {}, more: object = {}) => ({
  id,
  node: `core:${slug}`,
  version: '1.0.0',
  config,
  ...more,
});

/** Edges along `default` through the given ids. */
export const chain = (...ids: string[]) => ids.slice(1).map((to, index) => ({ from: { node: ids[index] }, to }));

export interface TestEngineOptions {
  concurrency?: number;
  leaseMs?: number;
  allow?: string;
  drainMs?: number;
}

/** An engine beside a test app, on its database, with a sandbox and an allow-list of its own as in another process. */
export async function startTestEngine(api: Pick<TestApp, 'deps'>, options: TestEngineOptions = {}): Promise<Engine> {
  const allow: AllowList | undefined = options.allow === undefined ? undefined : parseAllowList(options.allow);
  const egress = createEgress({ ...(allow && { allow }) });
  const nodeRuntime = createNodeRuntime({ egress, start: () => createRuntime() });
  const engine = await startEngine(
    { ...api.deps, egress, nodeRuntime },
    {
      concurrency: options.concurrency ?? 50,
      leaseMs: options.leaseMs ?? 6_000,
      drainMs: options.drainMs ?? 5_000,
    },
  );
  return {
    stats: () => engine.stats(),
    async stop() {
      await engine.stop();
      await Promise.all([nodeRuntime.close(), egress.close()]);
    },
  };
}

let counter = 0;

/** A workflow with a ready bundle and one trigger, made without going through the build. */
export async function readyWorkflow(
  { database }: Pick<TestApp, 'database'>,
  given: BlobInput,
  { tenantId = 'acme-shop', type = 'webhook' }: { tenantId?: string; type?: TriggerType } = {},
): Promise<{ tenantId: string; workflowId: number; handle: string }> {
  const blob = workflowBlobSchema.parse({ version: 'v1', edges: [], ...given });
  return database.withTenant(tenantId, async (tx) => {
    counter += 1;
    const name = `Workflow ${counter}`;
    const { id } = await tx.workflow.create({ data: { tenantId, name, blob: blob as Prisma.InputJsonObject } });
    const content = { blob, nodes: {} };
    const bundle = await tx.workflowBundle.create({
      data: { tenantId, workflowId: id, revision: 1, content: content as Prisma.InputJsonObject },
    });
    await tx.workflow.update({
      where: { tenantId_id: { tenantId, id } },
      data: {
        bundleId: bundle.id,
        bundleStatus: 'ready',
        bundleRevision: 1,
        bundleBuiltAt: new Date(),
        concurrency: blob.settings?.concurrency ?? null,
      },
    });
    const { handle } = await tx.trigger.create({ data: { tenantId, workflowId: id, type, name: type } });
    return { tenantId, workflowId: Number(id), handle };
  });
}

/** Fires a workflow's trigger; answers the run's id. */
export async function fireRun(
  { deps }: Pick<TestApp, 'deps'>,
  { tenantId, handle }: { tenantId: string; handle: string },
  payload: unknown = {},
): Promise<number> {
  const fired: Fired = await fire(deps, {
    actor: systemActor('acme', tenantId),
    handle,
    type: 'webhook',
    payload,
    capture: true,
  });
  if (fired.outcome !== 'run') throw new Error(`The firing became: ${JSON.stringify(fired)}`);
  return fired.runId;
}

export interface RunState {
  status: string;
  error: string | null;
  version: number;
  result: unknown;
  wake_at: Date | null;
  steps: {
    path: string;
    attempt: number;
    status: string;
    branch: string | null;
    outputs: unknown;
    error: { code: string; message: string } | null;
    resume_token: string | null;
  }[];
}

export async function readRun({ database }: Pick<TestApp, 'database'>, runId: number): Promise<RunState> {
  const { rows } = await database.system.query<RunState>(
    `SELECT r.status, r.error, r.version, r.wake_at, (SELECT result FROM run_results x WHERE x.tenant_id = r.tenant_id AND x.run_id = r.id) AS result,
       (SELECT coalesce(jsonb_agg(to_jsonb(s) ORDER BY s.path, s.attempt), '[]') FROM steps s WHERE s.tenant_id = r.tenant_id AND s.run_id = r.id) AS steps
     FROM runs r WHERE r.id = $1`,
    [runId],
  );
  const [row] = rows;
  if (!row) throw new Error(`There is no run ${runId}.`);
  return row;
}

/** Waits until the run is as wanted; fails with what it was instead after `limitMs`. */
export async function untilRun(
  api: Pick<TestApp, 'database'>,
  runId: number,
  wanted: string | ((run: RunState) => boolean) = (run) => ['succeeded', 'failed', 'cancelled'].includes(run.status),
  limitMs = 60_000,
): Promise<RunState> {
  const isWanted = typeof wanted === 'string' ? (run: RunState) => run.status === wanted : wanted;
  const deadline = Date.now() + limitMs;
  // Most runs take milliseconds; those that wait for a lease are looked at less and less often.
  for (let waitMs = 10; ; waitMs = Math.min(waitMs * 1.25, 60)) {
    const run = await readRun(api, runId);
    if (isWanted(run)) return run;
    if (Date.now() > deadline) throw new Error(`Run ${runId} did not come to be as wanted: ${JSON.stringify(run)}`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
