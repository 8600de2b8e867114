import type { BundleStatus, TriggerType } from '#prisma/enums.ts';
import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import {
  dispatchLimited,
  type MadeRun,
  type NewRun,
  queueRuns,
  storeRuns,
} from '#src/automation/runs/run-creation.service.ts';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import { bundleNotReady, workflowInactive } from '#src/automation/runs/runnable.rules.ts';
import type { Actor } from '#src/infra/deps.ts';
import { storableJson } from '#src/infra/json.ts';
import { type Batcher, createBatcher } from '#src/infra/postgres/batcher.ts';
import { forEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** A trigger that fired. */
export interface Firing {
  actor: Actor;
  handle: string;
  /** The firing is good only for a trigger of this type. */
  type: TriggerType;
  /** And, when given, only for a trigger of this workflow. */
  workflowId?: number;
  payload: unknown;
  /** A repeated key of one workflow answers the run it first started. */
  idempotencyKey?: string;
  /** Keep the firing as a dead letter when it cannot start a run now. */
  capture: boolean;
  /** Why it can start no run, however runnable its workflow is. */
  refusal?: string;
  /** How deep in runs that start runs; 0 when absent. */
  depth?: number;
  /** The run at the head of those; absent where there is none. */
  rootRunId?: number;
}

export type Fired =
  | { outcome: 'run'; runId: number; workflowId: number; repeated: boolean; triggerConfig: unknown }
  | { outcome: 'dead_letter'; deadLetterId: number; workflowId: number; reason: string }
  | { outcome: 'not_runnable'; reason: string }
  | { outcome: 'unknown' };

interface Target {
  tenant_id: string;
  handle: string;
  trigger_id: number;
  type: TriggerType;
  config: unknown;
  workflow_id: number;
  workflow_active: boolean;
  revision: number;
  bundle_id: number | null;
  bundle_status: BundleStatus;
  concurrency: number | null;
}

/** What use cases that fire triggers are built on. */
export interface FiringDeps extends RunDeps {
  /** Firings of all tenants that arrive together, for one transaction. */
  firings: Batcher<Firing, Fired>;
}

export const createFiringBatcher = (deps: RunDeps): Batcher<Firing, Fired> =>
  createBatcher({
    write: (firings) => deps.database.withTenantsSql((tx) => accept(tx, deps, firings)),
    maxBatch: 200,
    concurrency: 4,
    patienceMs: 250,
  });

/**
 * Stores the firing and answers what became of it: a run, a dead letter, or nothing where nothing may be kept. The answer comes
 * after the commit. Firings of all tenants that arrive together share one, each in the scope of its tenant.
 */
export function fire({ firings }: Pick<FiringDeps, 'firings'>, firing: Firing): Promise<Fired> {
  storableJson(firing.payload, 'payload');
  return firings.add(firing);
}

/** The same inside a transaction of the caller's, which is in no tenant's scope. */
export async function accept(tx: Tx, deps: RunDeps, firings: Firing[]): Promise<Fired[]> {
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

/** Stores firings of one tenant, in its scope. The runs made must still be queued and announced. */
async function store(client: Tx, firings: Firing[]): Promise<{ answers: Fired[]; made: MadeRun[] }> {
  const targets = await findTargets(client, firings);
  const answers: Fired[] = firings.map(() => ({ outcome: 'unknown' }));
  const starting: Starting[] = [];
  const missed: { index: number; target: Target; firing: Firing; reason: string }[] = [];
  firings.forEach((firing, index) => {
    const target = targets.get(`${firing.actor.tenantId}/${firing.handle}`);
    if (!target || target.type !== firing.type) return;
    if (firing.workflowId !== undefined && firing.workflowId !== target.workflow_id) return;
    const reason = firing.refusal ?? whyNot(target);
    if (reason === null) starting.push({ index, target, firing });
    else if (firing.capture) missed.push({ index, target, firing, reason });
    else answers[index] = { outcome: 'not_runnable', reason };
  });

  const fresh = await withoutRepeats(client, starting, answers);
  const made = await storeRuns(
    client,
    fresh.map(({ target, firing }) => toRun(target, firing)),
  );
  const runIds = made.map(({ row }) => row.id);
  await nameKeys(client, fresh, runIds);
  fresh.forEach(({ index, target }, position) => {
    answers[index] = toAnswer(target, runIds[position] as number, false);
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

const whyNot = (target: Target): string | null => {
  if (!target.workflow_active) return workflowInactive;
  return target.bundle_id === null || target.bundle_status !== 'ready' ? bundleNotReady : null;
};

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

async function findTargets(client: Tx, firings: Firing[]): Promise<Map<string, Target>> {
  const wanted = new Map(
    firings.map(({ actor, handle }) => [`${actor.tenantId}/${handle}`, { tenantId: actor.tenantId, handle }]),
  );
  const { rows } = await client.query<Target>({
    name: 'find-targets',
    text: `
      SELECT t.tenant_id, t.handle, t.id AS trigger_id, t.type, t.config, w.id AS workflow_id, w.active AS workflow_active,
        w.revision, w.bundle_id, w.bundle_status, w.concurrency
      FROM unnest($1::text[], $2::uuid[]) AS wanted(tenant_id, handle)
      JOIN triggers t ON t.tenant_id = wanted.tenant_id AND t.handle = wanted.handle AND t.active
      JOIN workflows w ON w.tenant_id = t.tenant_id AND w.id = t.workflow_id AND w.deleted_at IS NULL`,
    values: [[...wanted.values()].map(({ tenantId }) => tenantId), [...wanted.values()].map(({ handle }) => handle)],
  });
  return new Map(rows.map((row) => [`${row.tenant_id}/${row.handle}`, row]));
}

const toAnswer = (target: Target, runId: number, repeated: boolean): Fired => ({
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
}

const keyOf = ({ target, firing }: Starting): string =>
  `${target.tenant_id}/${target.workflow_id}/${firing.idempotencyKey}`;

const keyColumns = (entries: Starting[]): [string[], number[], string[]] => [
  entries.map(({ target }) => target.tenant_id),
  entries.map(({ target }) => target.workflow_id),
  entries.map(({ firing }) => firing.idempotencyKey as string),
];

/** Claims the idempotency keys; whose key was taken is answered with the run it first started, and left out. */
async function withoutRepeats(client: Tx, entries: Starting[], answers: Fired[]): Promise<Starting[]> {
  const keyed = entries.filter(({ firing }) => firing.idempotencyKey !== undefined);
  if (keyed.length === 0) return entries;
  // Each of the two then goes on alone, one after the other.
  if (new Set(keyed.map(keyOf)).size < keyed.length) {
    throw new Error('Two firings of one batch carry the same idempotency key.');
  }
  // Another transaction that holds a key makes this wait for its commit, so that its run is visible below. In order, so that
  // two batches with the same keys do not wait for each other.
  const { rows: claimed } = await client.query<{ ord: number }>({
    name: 'claim-run-keys',
    text: `
      WITH wanted AS (
        SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS t(tenant_id, workflow_id, key, ord)
      ), claimed AS (
        INSERT INTO run_keys (tenant_id, workflow_id, key, run_id)
        SELECT tenant_id, workflow_id, key, 0 FROM wanted ORDER BY tenant_id, workflow_id, key
        ON CONFLICT DO NOTHING RETURNING tenant_id, workflow_id, key
      )
      SELECT ord FROM claimed JOIN wanted USING (tenant_id, workflow_id, key)`,
    values: keyColumns(keyed),
  });
  const isClaimed = new Set(claimed.map(({ ord }) => keyed[ord - 1]));
  const repeats = keyed.filter((entry) => !isClaimed.has(entry));
  if (repeats.length === 0) return entries;
  const { rows: first } = await client.query<{ ord: number; run_id: number }>({
    name: 'find-run-keys',
    text: `SELECT t.ord, k.run_id FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS t(tenant_id, workflow_id, key, ord)
      JOIN run_keys k USING (tenant_id, workflow_id, key)`,
    values: keyColumns(repeats),
  });
  for (const { ord, run_id: runId } of first) {
    const { index, target } = repeats[ord - 1] as Starting;
    answers[index] = toAnswer(target, runId, true);
  }
  const isRepeat = new Set(repeats);
  return entries.filter((entry) => !isRepeat.has(entry));
}

/** Writes down which run each claimed key started. */
async function nameKeys(client: Tx, started: Starting[], runIds: number[]): Promise<void> {
  const keyed = started.flatMap((entry, position) =>
    entry.firing.idempotencyKey === undefined ? [] : [{ entry, runId: runIds[position] as number }],
  );
  if (keyed.length === 0) return;
  await client.query({
    name: 'name-run-keys',
    text: `UPDATE run_keys k SET run_id = t.run_id
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) AS t(tenant_id, workflow_id, key, run_id)
      WHERE k.tenant_id = t.tenant_id AND k.workflow_id = t.workflow_id AND k.key = t.key`,
    values: [...keyColumns(keyed.map(({ entry }) => entry)), keyed.map(({ runId }) => runId)],
  });
}

async function capture(client: Tx, missed: { target: Target; firing: Firing; reason: string }[]): Promise<number[]> {
  if (missed.length === 0) return [];
  const { rows } = await client.query<{ id: number }>({
    name: 'capture-dead-letters',
    text: `
      WITH input AS MATERIALIZED (
        SELECT *, nextval('dead_letters_id_seq') AS id
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::uuid[], $6::text[], $7::text[]) WITH ORDINALITY
          AS t(tenant_id, workflow_id, trigger_id, source, trigger_handle, reason, payload, ord)
      ), payloads AS (
        INSERT INTO dead_letter_payloads (tenant_id, dead_letter_id, payload) SELECT tenant_id, id, payload::jsonb FROM input
      )
      INSERT INTO dead_letters (tenant_id, id, workflow_id, trigger_id, source, trigger_handle, reason)
      SELECT tenant_id, id, workflow_id, trigger_id, source::trigger_type, trigger_handle, reason FROM input ORDER BY ord
      RETURNING id`,
    values: [
      missed.map(({ target }) => target.tenant_id),
      missed.map(({ target }) => target.workflow_id),
      missed.map(({ target }) => target.trigger_id),
      missed.map(({ target }) => target.type),
      missed.map(({ target }) => target.handle),
      missed.map(({ reason }) => reason),
      missed.map(({ firing }) => storableJson(firing.payload, 'payload')),
    ],
  });
  return rows.map(({ id }) => id);
}
