import { findNotHeld, type HeldRun, type NotHeld } from '#src/automation/runs/held-runs.store.ts';
import { finishRuns } from '#src/automation/runs/run-finishing.service.ts';
import type { FinishedRun } from '#src/automation/runs/run-finishing.store.ts';
import { channels, notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { enqueue } from '#src/automation/runs/run-queue.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { awaitAll } from '#src/infra/postgres/tx.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { lockLease } from './statements/run-leases.ts';
import {
  type Claimed,
  insertLogLines,
  insertStarts,
  insertStepEvents,
  type ReleasedRun,
  setQueued,
  setWaiting,
  type StepRecord,
  type SuspendedRun,
  upsertSteps,
  wakeResolved,
} from './statements/step-log.ts';

export type StepLogEntry =
  | { kind: 'start'; step: StepRecord }
  | { kind: 'step'; step: StepRecord }
  | { kind: 'finish'; run: FinishedRun }
  | { kind: 'suspend'; run: SuspendedRun }
  | { kind: 'release'; run: ReleasedRun };

/** A step log entry, with the run under way that it belongs to. */
export interface HeldEntry {
  held: HeldRun;
  entry: StepLogEntry;
}

/** The worker does not hold the run, or no longer holds it: its work on the run is discarded. */
export class RunNotHeldError extends Error {
  constructor() {
    super('This worker does not hold the run.');
    this.name = 'RunNotHeldError';
  }
}

/** The database server is not the one that the worker knows: after a failover it may lack the last commits. */
export class ServerChangedError extends OutageError {
  constructor() {
    super('Another database server answers; what this worker holds is compared with it.');
    this.name = 'ServerChangedError';
  }
}

/** The worker's lease has expired: other workers hold its runs now, and its later work is discarded. */
export class LeaseLostError extends Error {
  constructor() {
    super('The lease of this worker has expired.');
    this.name = 'LeaseLostError';
  }
}

/**
 * Writes entries of many runs in one commit, in order, under the worker's lease. Repeating a write whose response was lost
 * is harmless: recorded entries stay unchanged. Entries of runs that the worker does not hold under their claim are dropped, and
 * those runs returned. Throws LeaseLostError when the worker has been declared dead, and ServerChangedError when another server than
 * `server` answers.
 */
export async function writeStepLog(
  deps: Pick<Deps, 'database'> & RunQueue,
  { workerId, server }: WorkerAt,
  entries: readonly HeldEntry[],
): Promise<Map<HeldRun, NotHeld>> {
  const steps = entries.flatMap(({ held: { claim }, entry }) =>
    entry.kind === 'step' ? [{ ...entry.step, claim }] : [],
  );
  const started = entries.flatMap(({ held: { claim }, entry }) =>
    entry.kind === 'start' ? [{ ...entry.step, claim }] : [],
  );
  const finished = entries.flatMap(({ held: { claim }, entry }) =>
    entry.kind === 'finish' ? [{ ...entry.run, claim }] : [],
  );
  const suspended = entries.flatMap(({ held: { claim }, entry }) =>
    entry.kind === 'suspend' ? [{ ...entry.run, claim }] : [],
  );
  const released = entries.flatMap(({ held: { claim }, entry }) =>
    entry.kind === 'release' ? [{ ...entry.run, claim }] : [],
  );
  return deps.database.withSystem(async (client) => {
    // One after another, since a run that ends may wake one that is suspended.
    const recordEnds = async () => {
      const ended = await finishRuns(client, deps, workerId, finished);
      const waiting = await suspendRuns(client, deps, workerId, suspended);
      const queued = await releaseRuns(client, deps, workerId, released);
      return ended.length + waiting + queued;
    };
    // Sent together, since everything is rolled back if the lease has expired.
    const [, begun, recorded, ended] = await awaitAll([
      holdLease(client, workerId, server),
      recordStarts(client, workerId, started),
      recordSteps(client, workerId, steps).then(async (fresh) => {
        await recordLogs(client, fresh);
        return fresh.length;
      }),
      recordEnds(),
    ]);
    // Entries are rarely dropped: only those that a commit with a lost response has recorded, and those of runs that are not held.
    return begun + recorded + ended === entries.length ? new Map() : findDropped(client, workerId, entries);
  });
}

/** The runs of these entries whose entries were dropped. Those that end in this commit have a later version than their claim by now. */
async function findDropped(
  client: SystemTx,
  workerId: string,
  entries: readonly HeldEntry[],
): Promise<Map<HeldRun, NotHeld>> {
  const runs = [...new Set(entries.map(({ held }) => held))];
  const notHeld = await findNotHeld(
    client,
    workerId,
    runs.map(({ claim }) => ({ claim })),
  );
  return new Map(notHeld.map((found) => [runs[found.place - 1] as HeldRun, found]));
}

/** A worker, and the server that it knows. */
export interface WorkerAt {
  workerId: string;
  server?: string | undefined;
}

/** Keeps the worker's lease from expiring until the transaction ends. Throws LeaseLostError and ServerChangedError. */
export async function holdLease(client: SystemTx, workerId: string, server?: string): Promise<void> {
  const lease = await lockLease(client, workerId);
  if (lease && server !== undefined && lease.server !== server) throw new ServerChangedError();
  if (!lease) throw new LeaseLostError();
}

/** Records attempts that have begun, for display only: a run that is taken over makes them again. */
async function recordStarts(client: SystemTx, workerId: string, steps: Claimed<StepRecord>[]): Promise<number> {
  if (steps.length === 0) return 0;
  const count = await insertStarts(client, workerId, steps);
  notifySteps(client, steps);
  return count;
}

const notifySteps = (client: SystemTx, steps: StepRecord[]): void =>
  client.notify(
    channels.steps,
    steps.map(({ tenantId, runId }) => [tenantId, runId]),
  );

/** Records the attempts with their events, and returns those that were not recorded already, of runs that the worker holds. */
export async function recordSteps(
  client: SystemTx,
  workerId: string,
  steps: Claimed<StepRecord>[],
): Promise<StepRecord[]> {
  if (steps.length === 0) return [];
  const rows = await upsertSteps(client, workerId, steps);
  const written = new Set(rows.map((row) => `${row.tenant_id}/${row.run_id}/${row.path}#${row.attempt}`));
  const fresh =
    written.size === steps.length
      ? steps
      : steps.filter((step) => written.has(`${step.tenantId}/${step.runId}/${step.path}#${step.attempt}`));
  notifySteps(
    client,
    fresh.filter(({ isNotified }) => isNotified),
  );
  await emitEvents(client, fresh);
  return fresh;
}

async function emitEvents(client: SystemTx, steps: StepRecord[]): Promise<void> {
  const events = steps.flatMap((step) => step.events.map((event) => ({ ...event, tenantId: step.tenantId })));
  if (events.length === 0) return;
  await insertStepEvents(client, events);
  wakeRelay(client);
}

async function recordLogs(client: SystemTx, steps: StepRecord[]): Promise<void> {
  const lines = steps.flatMap(({ tenantId, runId, path, attempt, logs }) =>
    logs.map((line) => ({ ...line, tenantId, runId, path, attempt })),
  );
  if (lines.length === 0) return;
  await insertLogLines(client, lines);
  const logged = new Map(lines.map(({ tenantId, runId }) => [`${tenantId}/${runId}`, [tenantId, runId]]));
  client.notify(channels.logs, [...logged.values()]);
}

async function suspendRuns(
  client: SystemTx,
  deps: RunQueue,
  workerId: string,
  runs: Claimed<SuspendedRun>[],
): Promise<number> {
  if (runs.length === 0) return 0;
  const rows = await setWaiting(client, workerId, runs);
  notifyRuns(client, rows);
  // A step that was resolved, or a run that was cancelled, while the worker drove the run, has not woken it.
  const suspended = new Set(rows.map((row) => `${row.tenant_id}/${row.id}`));
  const awake = await wakeResolved(
    client,
    runs.filter(({ tenantId, runId }) => suspended.has(`${tenantId}/${runId}`)),
  );
  const now = new Set(awake.map((row) => `${row.tenant_id}/${row.id}`));
  await enqueue(client, deps, [
    ...awake.map((row) => ({ tenantId: row.tenant_id, runId: row.id })),
    ...rows.flatMap((row) =>
      row.wake_at === null || now.has(`${row.tenant_id}/${row.id}`)
        ? []
        : [{ tenantId: row.tenant_id, runId: row.id, startAfter: row.wake_at }],
    ),
  ]);
  return rows.length;
}

/** The delay before a released run is claimed again, so that a temporary fault can pass. */
const releaseDelayMs = 500;

async function releaseRuns(
  client: SystemTx,
  deps: RunQueue,
  workerId: string,
  runs: Claimed<ReleasedRun>[],
): Promise<number> {
  if (runs.length === 0) return 0;
  const rows = await setQueued(client, workerId, runs);
  notifyRuns(client, rows);
  const startAfter = new Date(Date.now() + releaseDelayMs);
  await enqueue(
    client,
    deps,
    rows.map((row) => ({ tenantId: row.tenant_id, runId: row.id, startAfter })),
  );
  return rows.length;
}
