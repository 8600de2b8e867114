import { accept, type Fired, type Firing } from '#src/automation/firings/firings.service.ts';
import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { type Batcher, createBatcher } from '#src/infra/postgres/batcher.ts';
import { forEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { type CallKey, forgetCalls, nameOutcomes, type NewCall, storeCalls } from './calls.store.ts';

/** A verified call, with what it leads to: a firing, or the event in `topic`, `data` and `metadata`. */
export interface Call extends NewCall {
  firing: Firing | null;
}

/**
 * `unbound`: the trigger is gone or inactive. `changed`: the endpoint is not what the call was verified against. Of either nothing was
 * stored.
 */
export type StoredCall = 'new' | 'duplicate' | 'unbound' | 'changed';

/** Stores calls that arrive together, of all tenants, in one commit with the runs and events that they lead to. */
export const createCallBatcher = (deps: RunDeps): Batcher<Call, StoredCall> =>
  createBatcher({
    write: (calls) => deps.database.withTenantsSql((tx) => storeAll(tx, deps, calls)),
    maxBatch: 200,
    concurrency: 4,
    patienceMs: 20,
  });

async function storeAll(tx: Tx, deps: RunDeps, calls: Call[]): Promise<StoredCall[]> {
  const firstOf = new Map<string, Call>();
  for (const call of calls) if (!firstOf.has(keyOf(call))) firstOf.set(keyOf(call), call);
  const first = [...firstOf.values()];
  const stored = await forEachTenant(tx, first, tenantOf, storeCalls);
  const outcome = new Map<Call, StoredCall>(first.map((call, place) => [call, stored[place] ?? 'changed']));
  if (first.some((call) => call.topic !== null && outcome.get(call) === 'new')) wakeRelay(tx);

  const firing = first.filter((call) => call.firing !== null && outcome.get(call) === 'new');
  for (const call of await fireAll(tx, deps, firing)) outcome.set(call, 'unbound');
  return calls.map((call) => {
    const leader = firstOf.get(keyOf(call)) as Call;
    const outcomeOfLeader = outcome.get(leader) as StoredCall;
    return leader !== call && outcomeOfLeader === 'new' ? 'duplicate' : outcomeOfLeader;
  });
}

/** Fires the triggers of the calls, and returns those whose trigger cannot be fired; they are forgotten. */
async function fireAll(tx: Tx, deps: RunDeps, calls: Call[]): Promise<Call[]> {
  if (calls.length === 0) return [];
  const fired = await accept(
    tx,
    deps,
    calls.map(({ firing }) => firing as Firing),
  );
  const settled = calls.map((call, place) => ({ call, key: keyIn(call), ...outcomeOf(fired[place] as Fired) }));
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

const outcomeOf = (fired: Fired) => ({
  runId: fired.outcome === 'run' ? fired.runId : null,
  deadLetterId: fired.outcome === 'dead_letter' ? fired.deadLetterId : null,
});

const tenantOf = ({ tenantId }: Call): string => tenantId;
const keyIn = ({ tenantId, endpoint, eventId }: Call): CallKey => ({ tenantId, endpoint, eventId });
const keyOf = ({ endpoint, eventId }: Call): string => `${endpoint}/${eventId}`;
