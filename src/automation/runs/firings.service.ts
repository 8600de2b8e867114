import type pg from 'pg';
import { type Batcher, createBatcher } from '#src/platform/batcher.ts';
import type { Actor, Deps } from '#src/platform/deps.ts';
import { storableJson } from '#src/platform/json.ts';
import { insertRuns, type NewRun } from './run-creation.ts';
import { channels, notify } from './run-notices.ts';

/** A trigger that fired. */
export interface Firing {
  actor: Actor;
  handle: string;
  /** The firing is good only for a trigger of this type. */
  type: 'manual' | 'webhook' | 'event' | 'schedule';
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
}

export type Fired =
  | { outcome: 'run'; runId: number; workflowId: number; repeated: boolean; triggerConfig: unknown }
  | { outcome: 'dead_letter'; deadLetterId: number; workflowId: number; reason: string }
  | { outcome: 'not_runnable'; reason: string }
  | { outcome: 'unknown' };

export const bundleNotReady = 'Workflow bundle is not ready.';
export const workflowInactive = 'Workflow is not active.';

interface Target {
  tenant_id: string;
  handle: string;
  trigger_id: number;
  type: string;
  config: unknown;
  workflow_id: number;
  workflow_active: boolean;
  revision: number;
  bundle_id: number | null;
  bundle_status: string;
  concurrency: number | null;
}

const batchers = new WeakMap<Deps, Batcher<Firing, Fired>>();

/**
 * Stores the firing and answers what became of it: a run, a dead letter, or nothing where nothing may be kept. The answer comes
 * after the commit. Firings of all tenants that arrive together share one.
 */
export function fire(deps: Deps, firing: Firing): Promise<Fired> {
  storableJson(firing.payload, 'payload');
  let batcher = batchers.get(deps);
  if (!batcher) {
    const write = (firings: Firing[]) => deps.database.withSystem((client) => accept(client, deps, firings));
    batchers.set(deps, (batcher = createBatcher({ write, maxBatch: 200, concurrency: 2 })));
  }
  return batcher.add(firing);
}

/** The same inside a transaction of the caller's. */
export async function accept(client: pg.PoolClient, deps: Deps, firings: Firing[]): Promise<Fired[]> {
  const targets = await findTargets(client, firings);
  const answers: Fired[] = firings.map(() => ({ outcome: 'unknown' }));
  const starting: { index: number; target: Target; firing: Firing }[] = [];
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
  const runs = await insertRuns(
    client,
    deps,
    fresh.map(({ target, firing }) => toRun(target, firing)),
  );
  for (const [position, { index, target, firing }] of fresh.entries()) {
    const runId = runs[position]?.runId as number;
    answers[index] = {
      outcome: 'run',
      runId,
      workflowId: target.workflow_id,
      repeated: false,
      triggerConfig: target.config,
    };
    if (firing.idempotencyKey !== undefined) {
      await client.query(`UPDATE run_keys SET run_id = $4 WHERE tenant_id = $1 AND workflow_id = $2 AND key = $3`, [
        ...[firing.actor.tenantId, target.workflow_id, firing.idempotencyKey, runId],
      ]);
    }
  }
  const captured = await capture(client, missed);
  missed.forEach(({ index, target, reason }, position) => {
    answers[index] = {
      outcome: 'dead_letter',
      deadLetterId: captured[position] as number,
      workflowId: target.workflow_id,
      reason,
    };
  });
  return answers;
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
});

async function findTargets(client: pg.PoolClient, firings: Firing[]): Promise<Map<string, Target>> {
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

/** Claims each idempotency key; whose key was taken is answered with the run it first started, and left out. */
async function withoutRepeats<Entry extends { index: number; target: Target; firing: Firing }>(
  client: pg.PoolClient,
  entries: Entry[],
  answers: Fired[],
): Promise<Entry[]> {
  const fresh: Entry[] = [];
  for (const entry of entries) {
    const { firing, target } = entry;
    if (firing.idempotencyKey === undefined) {
      fresh.push(entry);
      continue;
    }
    // Another transaction that holds the key makes this wait for its commit, so that its run is visible below.
    const key = [firing.actor.tenantId, target.workflow_id, firing.idempotencyKey];
    const { rowCount } = await client.query(
      `INSERT INTO run_keys (tenant_id, workflow_id, key, run_id) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING`,
      key,
    );
    if (rowCount === 1) {
      fresh.push(entry);
      continue;
    }
    const { rows } = await client.query<{ run_id: number }>(
      `SELECT run_id FROM run_keys WHERE tenant_id = $1 AND workflow_id = $2 AND key = $3`,
      key,
    );
    const runId = rows[0]?.run_id ?? 0;
    // Zero: claimed a moment ago by an entry of this very batch, whose run is made below. That one goes on alone, later.
    if (runId === 0) throw new Error('Two firings of one batch carry the same idempotency key.');
    answers[entry.index] = {
      outcome: 'run',
      runId,
      workflowId: target.workflow_id,
      repeated: true,
      triggerConfig: target.config,
    };
  }
  return fresh;
}

async function capture(
  client: pg.PoolClient,
  missed: { target: Target; firing: Firing; reason: string }[],
): Promise<number[]> {
  if (missed.length === 0) return [];
  const { rows } = await client.query<{ id: number; tenant_id: string }>({
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
      SELECT tenant_id, id, workflow_id, trigger_id, source, trigger_handle, reason FROM input ORDER BY ord
      RETURNING id, tenant_id`,
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
  await notify(
    client,
    channels.deadLetters,
    rows.map(({ tenant_id, id }) => [tenant_id, id]),
  );
  return rows.map(({ id }) => id);
}
