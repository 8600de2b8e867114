import type { Chosen, Fit, ItemFindings, PriceFindings } from './price-resolution.store.ts';

/** The reason why a list gives the price of an item, or does not. */
export type TraceReason = 'expired' | 'scope_mismatch' | 'no_row' | 'below_min_quantity' | 'outranked' | 'selected';

export interface TraceEntry {
  /** The code of the list. */
  list: string;
  reason: TraceReason;
}

/** The price of one unit, and a trace: every list of the tenant in order of rank, with its outcome. */
export interface PriceFound {
  amount: string;
  /** True if the amount includes the tax; the same for the next tier. */
  taxIncluded: boolean;
  list: string;
  tier: { quantityFrom: string };
  /** The next larger quantity of the same list, and its price. */
  nextTier: { quantityFrom: string; amount: string } | null;
  trace: readonly TraceEntry[];
}

export interface PriceMissed {
  amount: null;
  trace: readonly TraceEntry[];
}

/** The outcome of a list without a price of an item. */
const reasonWithoutPrice: Record<Fit, TraceReason> = { n: 'no_row', g: 'no_row', e: 'expired', o: 'scope_mismatch' };

/**
 * The outcome for each item, in order. Price and trace are derived from the same findings. Items with the same outcome in every list share
 * their trace, as most of 200 articles do.
 */
export function explainPrices({ codes, fits, items }: PriceFindings): (PriceFound | PriceMissed)[] {
  const makeEntry = entryMakers.get(codes) ?? sharedEntries(codes);
  entryMakers.set(codes, makeEntry);
  const withoutPrices = codes.map((_code, index) => makeEntry(index + 1, reasonWithoutPrice[fits[index] as Fit]));
  const traces = new Map<string, readonly TraceEntry[]>();

  function buildTrace(found: ItemFindings | null): readonly TraceEntry[] {
    const [reached, below, expired, chosen] = found ?? [];
    const marks = [
      [expired, 'expired'],
      [below, 'below_min_quantity'],
      [reached, 'outranked'],
      [chosen && [Number(chosen[0])], 'selected'],
    ] as const;
    const key = marks.map(([ranks]) => ranks?.join() ?? '').join('/');
    const known = traces.get(key);
    if (known) return known;
    const trace = [...withoutPrices];
    for (const [ranks, reason] of marks) for (const rank of ranks ?? []) trace[rank - 1] = makeEntry(rank, reason);
    traces.set(key, Object.freeze(trace));
    return trace;
  }

  return items.map((found) => {
    const trace = buildTrace(found);
    return found?.[3] ? { ...toPrice(found[3], { codes, fits }), trace } : { amount: null, trace };
  });
}

type MakeEntry = (rank: number, reason: TraceReason) => TraceEntry;
const entryMakers = new WeakMap<readonly string[], MakeEntry>();

/**
 * One object for each list and reason: the traces of 200 items in 200 lists then hold a few hundred objects instead of 40,000. They are
 * cached with the codes, and so are created once for all requests.
 */
function sharedEntries(codes: readonly string[]): MakeEntry {
  const known: Partial<Record<TraceReason, TraceEntry[]>> = {};
  return (rank, reason) => {
    const byRank = (known[reason] ??= []);
    return (byRank[rank] ??= Object.freeze({ list: codeAt(codes, rank), reason }));
  };
}

function toPrice(
  [rank, quantityFrom, amount, nextFrom, nextAmount]: Chosen,
  { codes, fits }: Pick<PriceFindings, 'codes' | 'fits'>,
): Omit<PriceFound, 'trace'> {
  return {
    amount,
    taxIncluded: fits[Number(rank) - 1] === 'g',
    list: codeAt(codes, Number(rank)),
    tier: { quantityFrom },
    nextTier: nextFrom === null || nextAmount === null ? null : { quantityFrom: nextFrom, amount: nextAmount },
  };
}

const codeAt = (codes: readonly string[], rank: number): string => codes[rank - 1] ?? '';
