import { maxDepth } from '#src/automation/runs/error-workflows.service.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { countChains } from './event-firing.store.ts';
import type { Firing } from './firings.service.ts';

/** Limits of a chain: one run, and all runs that its events and their events start. */
export interface ChainLimits {
  /** Firings that may start a run. */
  firings: number;
  /** Further firings that are kept as dead letters; later ones are dropped. */
  kept: number;
}

/**
 * A run emits at most 10,000 events, in a loop, and a chain is at most ten runs deep. Only chains that multiply at
 * every level reach this.
 */
export const chainLimits: ChainLimits = { firings: 100_000, kept: 1_000 };

export const tooDeep = `Events start runs at most ${maxDepth} deep; is there a circle of workflows?`;
export const tooMany = ({ firings }: ChainLimits): string =>
  `What follows from one run by events has fired triggers ${firings} times already; is there a circle of workflows?`;

/** The counts of a chain. */
interface Counter {
  tenantId: string;
  rootRunId: number;
  firings: number;
  /** The position in the chain of the last firing that was counted. */
  place: number;
  dropped: number;
}

/**
 * Counts the firings of each chain, in one statement. Returns the firings to continue with: unchanged, or with a `refusal` above
 * the first limit. `overrun` lists the chains of which firings were dropped.
 */
export async function boundChains(
  client: SystemTx,
  firings: Firing[],
  limits: ChainLimits,
): Promise<{ firings: Firing[]; overrun: Pick<Counter, 'tenantId' | 'rootRunId' | 'dropped'>[] }> {
  const counters = await takePlaces(client, firings);
  const left = firings.flatMap((firing): Firing[] => {
    const counter = counters.get(chainKey(firing));
    if (!counter) return [firing];
    counter.place += 1;
    if (counter.place > limits.firings + limits.kept) {
      counter.dropped += 1;
      return [];
    }
    const refusal =
      counter.place > limits.firings ? tooMany(limits) : (firing.depth ?? 0) > maxDepth ? tooDeep : undefined;
    return [refusal === undefined ? firing : { refusal, ...firing }];
  });
  return { firings: left, overrun: [...counters.values()].filter(({ dropped }) => dropped > 0) };
}

const chainKey = ({ actor, rootRunId }: Firing): string => `${actor.tenantId}/${rootRunId}`;

async function takePlaces(client: SystemTx, firings: Firing[]): Promise<Map<string, Counter>> {
  const counters = new Map<string, Counter>();
  for (const firing of firings) {
    if (firing.rootRunId === undefined) continue;
    const { rootRunId, actor } = firing;
    const counter = counters.get(chainKey(firing));
    if (counter) counter.firings += 1;
    else counters.set(chainKey(firing), { tenantId: actor.tenantId, rootRunId, firings: 1, place: 0, dropped: 0 });
  }
  if (counters.size === 0) return counters;
  for (const row of await countChains(client, [...counters.values()])) {
    const counter = counters.get(`${row.tenant_id}/${row.root_run_id}`) as Counter;
    counter.place = row.firings - counter.firings;
  }
  return counters;
}
