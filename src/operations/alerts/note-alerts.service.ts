import type { Deps } from '#src/infra/deps.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import type { OutboxConsumer } from '#src/journal/outbox/outbox.ts';
import { passMs } from './alerts.rules.ts';
import { addDeadLetters, addFailedRuns, compareStates, findAlertedTenants } from './note-alerts.store.ts';

const lettersPerBatch = 2_000;

/** Adds failed runs to the alerts of the recipients that are notified of them. */
export const failedRunAlerts = (now: () => Date = () => new Date()): OutboxConsumer => ({
  name: 'alerts',
  gatherMs: passMs,
  async wanted(client, kinds) {
    const failed = kinds.filter(({ topic }) => topic === 'run.failed');
    if (failed.length === 0) return [];
    const tenants = await findAlertedTenants(client, 'failed_runs', [
      ...new Set(failed.map(({ tenantId }) => tenantId)),
    ]);
    return failed.filter(({ tenantId }) => tenants.has(tenantId));
  },
  async handle(client, events) {
    const runs = events
      .filter(({ topic }) => topic === 'run.failed')
      .map(({ tenantId, data, createdAt }) => ({
        tenantId,
        runId: (data as { run_id: number }).run_id,
        at: createdAt,
      }));
    if (runs.length > 0) await addFailedRuns(client, now(), runs);
    return events.length;
  },
});

/** Adds one batch of new dead letters to the alerts, and returns whether there may be more. */
export const noteDeadLetters = ({ database }: Pick<Deps, 'database'>, at: Date = new Date()): Promise<boolean> =>
  database.withSystem(async (tx) => (await addDeadLetters(tx, at, lettersPerBatch)) === lettersPerBatch);

/** Compares the alerts with the destinations, credentials and polls of all tenants; one process does so at a time. */
export const noteStates = ({ database }: Pick<Deps, 'database'>, at: Date = new Date()): Promise<void> =>
  database.withSystem(async (tx) => {
    if (await tryLockNamed(tx, 'alerts/states')) await compareStates(tx, at);
  });
