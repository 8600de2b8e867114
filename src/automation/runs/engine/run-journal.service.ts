import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { enqueue } from '#src/automation/runs/run-creation.service.ts';
import { channels, notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { together } from '#src/infra/postgres/together.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { finishRuns } from './run-finishing.service.ts';
import type { FinishedRun } from './run-finishing.store.ts';
import {
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
} from './run-journal.store.ts';
import { lockLease } from './run-leases.store.ts';

export type JournalEntry =
  | { kind: 'start'; step: StepRecord }
  | { kind: 'step'; step: StepRecord }
  | { kind: 'finish'; run: FinishedRun }
  | { kind: 'suspend'; run: SuspendedRun }
  | { kind: 'release'; run: ReleasedRun };

/** The worker's lease has expired: other workers hold its runs now, and its later work is discarded. */
export class LeaseLostError extends Error {
  constructor() {
    super('The lease of this worker has expired.');
    this.name = 'LeaseLostError';
  }
}

/**
 * Writes entries of many runs in one commit, in order, under the worker's lease. Repeating a write whose answer was lost is
 * harmless: what is recorded stays as it was recorded. Throws LeaseLostError when the worker has been declared dead.
 */
export async function writeJournal(deps: RunDeps, workerId: string, entries: JournalEntry[]): Promise<void> {
  const steps = entries.flatMap((entry) => (entry.kind === 'step' ? [entry.step] : []));
  const started = entries.flatMap((entry) => (entry.kind === 'start' ? [entry.step] : []));
  const finished = entries.flatMap((entry) => (entry.kind === 'finish' ? [entry.run] : []));
  const suspended = entries.flatMap((entry) => (entry.kind === 'suspend' ? [entry.run] : []));
  const released = entries.flatMap((entry) => (entry.kind === 'release' ? [entry.run] : []));
  await deps.database.withSystem(async (client) => {
    // One after another, since a run that ends may wake one that is suspended.
    const recordEnds = async () => {
      await finishRuns(client, deps, workerId, finished);
      await suspendRuns(client, deps, workerId, suspended);
      await releaseRuns(client, deps, workerId, released);
    };
    // Sent together, since everything is rolled back if the lease has expired.
    await together([
      holdLease(client, workerId),
      recordStarts(client, started),
      recordSteps(client, steps).then((fresh) => recordLogs(client, fresh)),
      recordEnds(),
    ]);
  });
}

/** Keeps the worker's lease from expiring until the transaction ends. Throws LeaseLostError. */
export async function holdLease(client: SystemTx, workerId: string): Promise<void> {
  if (!(await lockLease(client, workerId))) throw new LeaseLostError();
}

/** Records attempts that have begun, only to be shown: a run that is taken over makes them again. */
async function recordStarts(client: SystemTx, steps: StepRecord[]): Promise<void> {
  if (steps.length === 0) return;
  await insertStarts(client, steps);
  notifySteps(client, steps);
}

const notifySteps = (client: SystemTx, steps: StepRecord[]): void =>
  client.notify(
    channels.steps,
    steps.map(({ tenantId, runId }) => [tenantId, runId]),
  );

/** Records the attempts with their events, and returns those that were not recorded already. */
export async function recordSteps(client: SystemTx, steps: StepRecord[]): Promise<StepRecord[]> {
  if (steps.length === 0) return [];
  const rows = await upsertSteps(client, steps);
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

async function suspendRuns(client: SystemTx, deps: RunDeps, workerId: string, runs: SuspendedRun[]): Promise<void> {
  if (runs.length === 0) return;
  const rows = await setWaiting(client, workerId, runs);
  notifyRuns(client, rows);
  // A step that was resolved, or a run that was cancelled, while the worker drove the run, has not woken it.
  const awake = await wakeResolved(client, runs);
  const now = new Set(awake.map((row) => `${row.tenant_id}/${row.id}`));
  await enqueue(client, deps, [
    ...awake.map((row) => ({ tenantId: row.tenant_id, runId: row.id })),
    ...rows.flatMap((row) =>
      row.wake_at === null || now.has(`${row.tenant_id}/${row.id}`)
        ? []
        : [{ tenantId: row.tenant_id, runId: row.id, startAfter: row.wake_at }],
    ),
  ]);
}

/** The delay before a released run is claimed again, so that a temporary fault can pass. */
const releaseDelayMs = 500;

async function releaseRuns(client: SystemTx, deps: RunDeps, workerId: string, runs: ReleasedRun[]): Promise<void> {
  if (runs.length === 0) return;
  const rows = await setQueued(client, workerId, runs);
  notifyRuns(client, rows);
  const startAfter = new Date(Date.now() + releaseDelayMs);
  await enqueue(
    client,
    deps,
    rows.map((row) => ({ tenantId: row.tenant_id, runId: row.id, startAfter })),
  );
}
