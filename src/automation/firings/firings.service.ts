import type { TriggerType } from '#prisma/enums.ts';
import { dispatchLimited, type MadeRun, queueRuns, storeRuns } from '#src/automation/runs/run-creation.service.ts';
import { type NewRun, readEventId } from '#src/automation/runs/run-creation.store.ts';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { bundleFault, workflowInactive } from '#src/automation/runs/runnable.rules.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { storableJson } from '#src/infra/json.ts';
import { type Batcher, createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import { forEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { writeCause } from '#src/infra/tracing/cause.ts';
import {
  claimRunKeys,
  findKeyedRuns,
  findTargets,
  insertDeadLetters,
  type RunKey,
  setKeyedRuns,
  type Target,
} from './firings.store.ts';
import { findMessageMisfit } from './message-fit.rules.ts';

/** A trigger that fired. */
export interface Firing {
  actor: Actor;
  handle: string;
  /** Only a trigger of this type is fired. */
  type: TriggerType;
  /** When given, only a trigger of this workflow is fired. */
  workflowId?: number;
  payload: unknown;
  /** A key that the workflow has seen before returns the run that it first started. */
  idempotencyKey?: string;
  /** Keep the firing as a dead letter when it cannot start a run now. */
  capture: boolean;
  /** True if the sender waits for the outcome. A body that the trigger refuses is then not kept. */
  isAnswered?: boolean;
  /** Why it may not start a run, even if its workflow is runnable. */
  refusal?: string;
  /** The number of runs above it in its chain; 0 when absent. */
  depth?: number;
  /** The run at the head of its chain; absent when this is the head. */
  rootRunId?: number;
}

export type Fired =
  | {
      outcome: 'run';
      runId: number;
      workflowId: number;
      repeated: boolean;
      triggerConfig: unknown;
      /** The place where the body does not fit the message that the trigger expects. */
      misfit?: string;
    }
  /** The trigger refuses bodies that do not fit its message; nothing was stored. */
  | { outcome: 'refused'; reason: string }
  | { outcome: 'dead_letter'; deadLetterId: number; workflowId: number; reason: string }
  | { outcome: 'not_runnable'; reason: string }
  | { outcome: 'unknown' };

/** The dependencies of use cases that fire triggers. */
export interface FiringDeps extends Pick<Deps, 'database'> {
  /** Writes firings that arrive together, of all tenants, in one transaction. */
  firings: Batcher<Firing, Fired>;
}

export const createFiringBatcher = (deps: Pick<Deps, 'database'> & RunQueue): Batcher<Firing, Fired> =>
  createBatcher({
    write: (firings) => deps.database.withTenantSql(null, (tx) => accept(tx, deps, firings)),
    maxBatch: 200,
    concurrency: 4,
    patienceMs: 250,
    // A batch costs two statements a tenant, however few firings it holds.
    gatherMs: 10,
  });

/**
 * Stores the firing and returns the outcome: a run, a dead letter, or nothing when nothing may be kept. Resolves after
 * the commit. Firings that arrive together share a transaction, each in the scope of its tenant.
 */
export async function fire({ firings }: Pick<FiringDeps, 'firings'>, firing: Firing): Promise<Fired> {
  storableJson(firing.payload, 'payload');
  return firings.add(firing);
}

/** The same in the caller's transaction, which must not be in the scope of a tenant. */
export async function accept(tx: Tx, deps: RunQueue, firings: Firing[]): Promise<Fired[]> {
  const made: MadeRun[] = [];
  const captured: [tenantId: string, deadLetterId: number][] = [];
  const answers = await forEachTenant(
    tx,
    firings,
    ({ actor }) => actor.tenantId,
    async (scoped, own) => {
      const stored = await store(scoped, own);
      made.push(...stored.made);
      for (const answer of stored.answers)
        if (answer.outcome === 'dead_letter') captured.push([own[0]?.actor.tenantId as string, answer.deadLetterId]);
      return stored.answers;
    },
  );
  // The queue and the notices have no tenant, so one statement serves all.
  tx.notify(channels.deadLetters, captured);
  tx.notify(channels.deadLetterChanges, captured);
  await queueRuns(tx, deps, made);
  const limited = Map.groupBy(
    made.filter(({ run }) => run.concurrency !== null),
    ({ run }) => run.actor.tenantId,
  );
  for (const tenantId of [...limited.keys()].toSorted())
    await forEachTenant(
      tx,
      limited.get(tenantId) as MadeRun[],
      () => tenantId,
      async (scoped, own) => {
        await dispatchLimited(scoped, deps, own);
        return own;
      },
    );
  return answers;
}

/** Stores firings of one tenant, in its scope. The runs it makes must then be queued. */
async function store(client: Tx, firings: Firing[]): Promise<{ answers: Fired[]; made: MadeRun[] }> {
  const targets = await indexTargets(client, firings);
  const answers: Fired[] = firings.map(() => ({ outcome: 'unknown' }));
  const starting: Starting[] = [];
  const missed: { index: number; target: Target; firing: Firing; reason: string }[] = [];
  firings.forEach((firing, index) => {
    const target = targets.get(`${firing.actor.tenantId}/${firing.handle}`);
    if (!target || target.type !== firing.type) return;
    if (firing.workflowId !== undefined && firing.workflowId !== target.workflow_id) return;
    const misfit = findMessageMisfit(target, firing.payload);
    const refused = misfit?.isRefused === true ? misfit.reason : null;
    if (refused !== null && firing.isAnswered === true) {
      answers[index] = { outcome: 'refused', reason: refused };
      return;
    }
    const reason = firing.refusal ?? whyNot(target) ?? refused;
    if (reason === null) starting.push({ index, target, firing, misfit: misfit?.reason });
    else if (firing.capture) missed.push({ index, target, firing, reason });
    else answers[index] = { outcome: 'not_runnable', reason };
  });

  const fresh = await withoutRepeats(client, starting, answers);
  const made = await storeRuns(
    client,
    fresh.map(({ target, firing }) => toRun(target, firing)),
  );
  const runIds = made.map(({ row }) => row.id);
  const keys = fresh.flatMap((entry, position) =>
    isKeyed(entry) ? [{ ...toRunKey(entry), runId: runIds[position] as number }] : [],
  );
  if (keys.length > 0) await setKeyedRuns(client, keys);
  fresh.forEach(({ index, target, misfit }, position) => {
    answers[index] = {
      ...toAnswer(target, runIds[position] as number, false),
      ...(misfit !== undefined && { misfit }),
    };
  });
  const captured = await capture(client, missed);
  missed.forEach(({ index, target, reason }, position) => {
    answers[index] = {
      outcome: 'dead_letter',
      deadLetterId: captured[position] as number,
      workflowId: target.workflow_id,
      reason,
    };
  });
  return { answers, made };
}

const whyNot = (target: Target): string | null => (target.workflow_active ? bundleFault(target) : workflowInactive);

const toRun = (target: Target, firing: Firing): NewRun => ({
  actor: firing.actor,
  workflowId: target.workflow_id,
  bundleId: target.bundle_id as number,
  revision: target.revision,
  triggerId: target.trigger_id,
  triggerHandle: target.handle,
  triggerType: target.type,
  payload: firing.payload,
  concurrency: target.concurrency,
  ...(firing.depth !== undefined && { depth: firing.depth }),
  ...(firing.rootRunId !== undefined && { rootRunId: firing.rootRunId }),
});

async function indexTargets(tx: Tx, firings: Firing[]): Promise<Map<string, Target>> {
  const wanted = new Map(
    firings.map(({ actor: { tenantId }, handle }) => [`${tenantId}/${handle}`, { tenantId, handle }]),
  );
  const targets = await findTargets(tx, [...wanted.values()]);
  return new Map(targets.map((target) => [`${target.tenant_id}/${target.handle}`, target]));
}

const toAnswer = (target: Target, runId: number, repeated: boolean): Extract<Fired, { outcome: 'run' }> => ({
  outcome: 'run',
  runId,
  workflowId: target.workflow_id,
  repeated,
  triggerConfig: target.config,
});

interface Starting {
  index: number;
  target: Target;
  firing: Firing;
  misfit: string | undefined;
}

const isKeyed = ({ firing }: Starting): boolean => firing.idempotencyKey !== undefined;

const toRunKey = ({ target, firing }: Starting): RunKey => ({
  tenantId: target.tenant_id,
  workflowId: target.workflow_id,
  key: firing.idempotencyKey as string,
});

/** Claims the idempotency keys. Entries whose key was taken are answered with the run it first started, and left out. */
async function withoutRepeats(tx: Tx, entries: Starting[], answers: Fired[]): Promise<Starting[]> {
  const keyed = entries.filter(isKeyed);
  if (keyed.length === 0) return entries;
  const keys = keyed.map(toRunKey);
  // After this error, the batcher writes the entries one by one.
  if (new Set(keys.map((key) => JSON.stringify(key))).size < keyed.length)
    throw new Error('Two firings of one batch carry the same idempotency key.');
  const claimed = await claimRunKeys(tx, keys);
  const repeats = keyed.filter((_, position) => !claimed.has(position));
  if (repeats.length === 0) return entries;
  for (const [position, runId] of await findKeyedRuns(tx, repeats.map(toRunKey))) {
    const { index, target } = repeats[position] as Starting;
    answers[index] = toAnswer(target, runId, true);
  }
  const isRepeat = new Set(repeats);
  return entries.filter((entry) => !isRepeat.has(entry));
}

async function capture(tx: Tx, missed: { target: Target; firing: Firing; reason: string }[]): Promise<number[]> {
  if (missed.length === 0) return [];
  return insertDeadLetters(
    tx,
    missed.map(({ target, firing, reason }) => ({
      ...target,
      reason,
      payload: storableJson(firing.payload, 'payload'),
      event_id: readEventId({ triggerType: target.type, payload: firing.payload }),
      ...writeCause(firing.actor),
    })),
  );
}
