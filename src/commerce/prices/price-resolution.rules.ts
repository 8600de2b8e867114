import type { ItemFindings, PriceFindings } from './price-resolution.store.ts';

/** Why a list gives the price of an item, or does not. */
export type TraceReason = 'expired' | 'scope_mismatch' | 'no_row' | 'below_min_quantity' | 'outranked' | 'selected';

export interface TraceEntry {
  /** The code of the list. */
  list: string;
  reason: TraceReason;
}

/** The price of one unit, and every list of the tenant in order of rank with what it came to. */
export interface PriceFound {
  amount: string;
  list: string;
  tier: { quantityFrom: string };
  /** The next larger quantity of the same list, and its price. */
  nextTier: { quantityFrom: string; amount: string } | null;
  trace: TraceEntry[];
}

export interface PriceMissed {
  amount: null;
  trace: TraceEntry[];
}

/** What the findings come to for each item, in order. Price and trace are read off the same findings. */
export function explainPrices({ lists, items }: PriceFindings): (PriceFound | PriceMissed)[] {
  const entryOf = sharedEntries(lists);
  const withoutPrices = lists.map(([, isForBuyer, isValid], index) =>
    entryOf(index + 1, !isForBuyer ? 'scope_mismatch' : isValid ? 'no_row' : 'expired'),
  );
  return items.map((found) => {
    const trace = [...withoutPrices];
    if (!found) return { amount: null, trace };
    const mark = (ranks: readonly number[] | null, reason: TraceReason): void => {
      for (const rank of ranks ?? []) trace[rank - 1] = entryOf(rank, reason);
    };
    mark(found.expired, 'expired');
    mark(found.below, 'below_min_quantity');
    mark(found.reached, 'outranked');
    if (!found.chosen) return { amount: null, trace };
    const price = priceOf(found.chosen, lists);
    mark([Number(found.chosen[0])], 'selected');
    return { ...price, trace };
  });
}

/** One object for each list and reason: the traces of 200 items in 200 lists then hold a few hundred objects rather than 40,000. */
function sharedEntries(lists: PriceFindings['lists']): (rank: number, reason: TraceReason) => TraceEntry {
  const known = lists.map((): Partial<Record<TraceReason, TraceEntry>> => ({}));
  return (rank, reason) => {
    const ofList = known[rank - 1] ?? {};
    return (ofList[reason] ??= Object.freeze({ list: codeAt(lists, rank), reason }));
  };
}

function priceOf(
  [rank, quantityFrom, amount, nextFrom, nextAmount]: NonNullable<ItemFindings['chosen']>,
  lists: PriceFindings['lists'],
): Omit<PriceFound, 'trace'> {
  return {
    amount,
    list: codeAt(lists, Number(rank)),
    tier: { quantityFrom },
    nextTier: nextFrom === null || nextAmount === null ? null : { quantityFrom: nextFrom, amount: nextAmount },
  };
}

const codeAt = (lists: PriceFindings['lists'], rank: number): string => lists[rank - 1]?.[0] ?? '';
