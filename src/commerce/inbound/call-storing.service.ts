import { accept, type Fired, type Firing } from '#src/automation/firings/firings.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { type Batcher, createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import { forEachTenant, pipelineForEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import { Pipelined, type Tx } from '#src/infra/postgres/tx.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { type CallKey, forgetCalls, nameOutcomes, type NewCall, storeCalls } from './calls.store.ts';

/** A verified call with its effect: a firing, or the event in `topic`, `data` and `metadata`. */
export interface Call extends NewCall {
  firing: Firing | null;
}

/**
 * `unbound`: the trigger is gone or inactive. `changed`: the endpoint differs from the version that the call was verified against. In both
 * cases nothing was stored.
 */
export type StoredCall = 'new' | 'duplicate' | 'unbound' | 'changed';

/** Stores calls that arrive together, of all tenants, in one commit with the runs and events that they start. */
export const createCallBatcher = (deps: Pick<Deps, 'database'> & RunQueue): Batcher<Call, StoredCall> =>
  createBatcher({
    write: (calls) => deps.database.withTenantSql(null, (tx) => storeAll(tx, deps, calls)),
    maxBatch: 200,
    concurrency: 4,
    patienceMs: 20,
  });

/** If no call fires a trigger, no statement depends on the result of storing, so COMMIT leaves in the same write. */
async function storeAll(tx: Tx, deps: RunQueue, calls: Call[]): Promise<StoredCall[] | Pipelined<StoredCall[]>> {
  const firstByKey = new Map<string, Call>();
  for (const call of calls) if (!firstByKey.has(callKey(call))) firstByKey.set(callKey(call), call);
  const first = [...firstByKey.values()];
  const toAnswers = (stored: StoredCall[]): StoredCall[] => {
    const outcome = new Map(first.map((call, place) => [call, stored[place] as StoredCall]));
    if (first.some((call) => call.topic !== null && outcome.get(call) === 'new')) wakeRelay(tx);
    return calls.map((call) => {
      const leader = firstByKey.get(callKey(call)) as Call;
      const outcomeOfLeader = outcome.get(leader) as StoredCall;
      return leader !== call && outcomeOfLeader === 'new' ? 'duplicate' : outcomeOfLeader;
    });
  };
  if (first.every(({ firing }) => firing === null)) {
    const stored = await pipelineForEachTenant(
      tx,
      first,
      callTenant,
      async (scoped, own) => new Pipelined(storeCalls(scoped, own)),
    );
    return new Pipelined(stored.result.then(toAnswers));
  }
  const stored: StoredCall[] = await forEachTenant(tx, first, callTenant, storeCalls);
  const unbound = await fireAll(
    tx,
    deps,
    first.filter(({ firing }, place) => firing !== null && stored[place] === 'new'),
  );
  for (const call of unbound) stored[first.indexOf(call)] = 'unbound';
  return toAnswers(stored);
}

/** Fires the triggers of the calls, and returns the calls whose trigger cannot be fired, so that the caller deletes them. */
async function fireAll(tx: Tx, deps: RunQueue, calls: Call[]): Promise<Call[]> {
  if (calls.length === 0) return [];
  const fired = await accept(
    tx,
    deps,
    calls.map(({ firing }) => firing as Firing),
  );
  const settled = calls.map((call, place) => ({ call, key: keyIn(call), ...toOutcome(fired[place] as Fired) }));
  await forEachTenant(
    tx,
    settled,
    ({ call }) => call.tenantId,
    async (scoped, own) => {
      const kept = own.filter(({ runId, deadLetterId }) => runId !== null || deadLetterId !== null);
      const lost = own.filter((each) => !kept.includes(each));
      if (kept.length > 0)
        await nameOutcomes(
          scoped,
          kept.map(({ key, ...rest }) => ({ ...key, ...rest })),
        );
      if (lost.length > 0)
        await forgetCalls(
          scoped,
          lost.map(({ key }) => key),
        );
      return own;
    },
  );
  return settled.filter(({ runId, deadLetterId }) => runId === null && deadLetterId === null).map(({ call }) => call);
}

const toOutcome = (fired: Fired) => ({
  runId: fired.outcome === 'run' ? fired.runId : null,
  deadLetterId: fired.outcome === 'dead_letter' ? fired.deadLetterId : null,
});

const callTenant = ({ tenantId }: Call): string => tenantId;
const keyIn = ({ tenantId, endpoint, eventId }: Call): CallKey => ({ tenantId, endpoint, eventId });
const callKey = ({ endpoint, eventId }: Call): string => `${endpoint}/${eventId}`;
