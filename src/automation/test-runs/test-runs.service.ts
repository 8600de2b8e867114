import type { z } from 'zod';
import type { TriggerType } from '#prisma/enums.ts';
import type { WorkflowBundleContent } from '#src/automation/blob/bundle.rules.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { insertRuns } from '#src/automation/runs/run-creation.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { requireBundle } from '#src/automation/runs/runnable.rules.ts';
import type { RunAnswer } from '#src/automation/runs/runs.service.ts';
import { bundleBlob, previewBlob } from '#src/automation/workflows/bundles.service.ts';
import { loadCatalogue } from '#src/automation/workflows/node-catalogue.reads.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput, readId } from '#src/infra/inputs.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { readPins } from './pins.rules.ts';
import { listReusable, type ReusedStep } from './reuse.rules.ts';
import { assertStartable, cutGraph } from './test-graph.rules.ts';
import { testRunInput } from './test-runs.inputs.ts';
import {
  copyOutputs,
  findReusedRun,
  findTestTrigger,
  insertPins,
  listChangedPins,
  listLastSteps,
  type PinnedOutputs,
  readBundle,
  storeTestBundle,
} from './test-runs.store.ts';

/**
 * Starts a run that tests the draft or the published revision, whether or not the workflow and its triggers are active. It waits for no
 * place under the workflow's limit, and takes none. Throws a ValidationError for a draft that is not valid, and a ConflictError where
 * there is none.
 */
export async function startTestRun(
  deps: NodeDeps & RunQueue,
  actor: Actor,
  workflowId: bigint,
  given: unknown,
): Promise<RunAnswer> {
  const input = parseInput(testRunInput, given);
  if (input.idempotencyKey != null) throw new ValidationError({ idempotencyKey: ['A test run takes none.'] });
  const { tenantId } = actor;
  const key = { tenantId, workflowId: Number(workflowId) };
  const tested = input.draft === true ? await readDraft(deps, key) : await readPublished(deps, key);
  const { revision, content } = tested;
  const wanted = input.pins ?? tested.pins;
  const pins =
    Object.keys(wanted).length === 0 ? [] : readPins(wanted, content.blob, await loadCatalogue(deps, content.blob));
  const section = { from: input.from ?? null, to: input.to ?? null };
  const cut = cutGraph(content.blob, section);
  const reused = input.reuse == null ? null : await readReused(deps, key, tested, pins, input);
  const kept = new Set(cut.graph.nodes.map(({ id }) => id));
  const pinned = new Set(pins.map(({ path }) => path));
  const taken = reused?.steps.filter(
    ({ path }) => !pinned.has(path) && kept.has(path) && (section.from === null || !cut.executed.has(path)),
  );
  const outcomes = [...(taken ?? []), ...pins].map(
    ({ path, branch }) => [path, { status: 'succeeded', branch }] as const,
  );
  return deps.database.withTenantSql(tenantId, async (tx) => {
    const trigger = reused?.trigger ?? (await requireTrigger(tx, key, input.triggerHandle ?? null));
    assertStartable(content.blob, cut, section, trigger.handle, new Map(outcomes));
    const isWhole = section.from === null && section.to === null;
    const bundleId =
      (isWhole ? tested.bundleId : null) ??
      (await storeTestBundle(tx, key, revision, { ...content, blob: { ...content.blob, ...cut.graph } }));
    const [made] = await insertRuns(tx, deps, [
      {
        actor,
        workflowId: key.workflowId,
        bundleId,
        revision,
        triggerId: trigger.id,
        triggerHandle: trigger.handle,
        triggerType: trigger.type,
        payload: reused ? reused.payload : (input.payload ?? null),
        concurrency: null,
        isTest: true,
      },
    ]);
    const runId = made?.runId as number;
    if (pins.length > 0) await insertPins(tx, tenantId, runId, pins);
    if (reused && taken && taken.length > 0)
      await copyOutputs(tx, tenantId, runId, { runId: reused.runId, paths: taken.map(({ path }) => path) });
    return { runId, workflowId: key.workflowId, status: 'queued' };
  });
}

interface TestTrigger {
  id: number | null;
  handle: string | null;
  type: TriggerType;
}

/** Without a trigger, a run begins at the nodes that have no predecessor. */
async function requireTrigger(tx: Tx, key: WorkflowKey, handle: string | null): Promise<TestTrigger> {
  const trigger = await findTestTrigger(tx, key, handle);
  if (!trigger && handle !== null)
    throw new ValidationError({ triggerHandle: ['The workflow has no trigger with this handle.'] });
  return trigger ?? { id: null, handle: null, type: 'manual' };
}

interface Reused {
  runId: number;
  trigger: TestTrigger;
  payload: unknown;
  /** The steps whose outputs may be taken. */
  steps: ReusedStep[];
}

/** Throws NotFoundError for a run that is not one of the workflow. */
async function readReused(
  { database }: NodeDeps,
  key: WorkflowKey,
  { content }: Tested,
  pins: readonly PinnedOutputs[],
  { reuse, payload, triggerHandle }: z.output<typeof testRunInput>,
): Promise<Reused> {
  const fixed = Object.entries({ payload, triggerHandle }).filter(([, value]) => value != null);
  if (fixed.length > 0)
    throw new ValidationError(
      Object.fromEntries(fixed.map(([name]) => [name, ['It is that of the run whose outputs are reused.']])),
    );
  const run = await findReusedRun(database, key, readId('Run', reuse as string));
  if (!run) throw new NotFoundError();
  const { runId, triggerId: id, triggerHandle: handle, triggerType: type } = run;
  if (!run.content)
    throw new ConflictError('What that run executed is not kept any more, so its outputs cannot be reused.');
  const steps = await listLastSteps(database, key.tenantId, runId);
  const changed = await listChangedPins(database, key.tenantId, runId, pins);
  const reusable = new Set(listReusable(run.content, content, steps, changed));
  return {
    runId,
    trigger: { id, handle, type },
    payload: run.payload ?? null,
    steps: steps.filter(({ path }) => reusable.has(path)),
  };
}

interface WorkflowKey {
  tenantId: string;
  workflowId: number;
}

/** What a test run executes. */
interface Tested {
  revision: number;
  content: WorkflowBundleContent;
  pins: Record<string, unknown>;
  /** Id of an existing bundle with the same content. */
  bundleId: number | null;
}

async function readWorkflow({ database }: NodeDeps, { tenantId, workflowId }: WorkflowKey) {
  const found = await database.reader(tenantId).workflow.findFirst({
    where: { tenantId, id: BigInt(workflowId), deletedAt: null },
    select: {
      revision: true,
      bundleId: true,
      bundleStatus: true,
      bundleError: true,
      draft: { select: { blob: true, baseRevision: true, pins: true } },
    },
  });
  if (!found) throw new NotFoundError();
  return found;
}

async function readDraft(deps: NodeDeps, key: WorkflowKey): Promise<Tested> {
  const { draft } = await readWorkflow(deps, key);
  if (!draft) throw new ConflictError('The workflow has no draft.');
  const bundling = await bundleBlob(deps, draft.blob, key);
  if (!bundling.ok) {
    const { errors } = await previewBlob(deps, key.tenantId, draft.blob, BigInt(key.workflowId));
    throw new ValidationError(Object.keys(errors).length > 0 ? errors : { draft: [bundling.error] });
  }
  const pins = draft.pins as Record<string, unknown>;
  return { revision: draft.baseRevision, content: bundling.content, pins, bundleId: null };
}

async function readPublished(deps: NodeDeps, key: WorkflowKey): Promise<Tested> {
  const { revision, bundleId, bundleStatus, bundleError } = await readWorkflow(deps, key);
  const id = requireBundle({
    bundle_id: bundleId === null ? null : Number(bundleId),
    bundle_status: bundleStatus,
    bundle_error: bundleError,
  });
  return { revision, content: await readBundle(deps.database, key.tenantId, id), pins: {}, bundleId: id };
}
