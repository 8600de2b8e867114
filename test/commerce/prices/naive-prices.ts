import { Decimal } from 'decimal.js';

/** A plain model of choosing prices: one item, one list, one tier at a time. The result of SQL is compared with it. */
export interface ModelList {
  code: string;
  currency: string;
  taxIncluded: boolean;
  customer: string | null;
  channel: string | null;
  market: string | null;
  priority: number;
  validFrom: Date | null;
  validUntil: Date | null;
  tiers: ModelTier[];
}
export interface ModelTier {
  sku: string;
  quantityFrom: string;
  amount: string;
  validFrom: Date | null;
  validUntil: Date | null;
}
export interface ModelBuyer {
  currency: string;
  customer: string | null;
  channel: string | null;
  market: string | null;
  at: Date;
  strategy: 'PRIORITY' | 'CHEAPEST';
}

const isValid = ({ validFrom, validUntil }: Pick<ModelList, 'validFrom' | 'validUntil'>, at: Date): boolean =>
  (validFrom === null || validFrom <= at) && (validUntil === null || at < validUntil);

const scopes = ['customer', 'channel', 'market'] as const;

function byRank(one: ModelList, other: ModelList): number {
  if (one.priority !== other.priority) return other.priority - one.priority;
  for (const scope of scopes) {
    if ((one[scope] === null) !== (other[scope] === null)) return one[scope] === null ? 1 : -1;
  }
  return one.code < other.code ? -1 : 1;
}

/** The tiers of an SKU that hold at the time, one a quantity: of several, the one that began last. */
function findTiers({ tiers }: ModelList, sku: string, at: Date): ModelTier[] {
  const holding = tiers.filter((tier) => tier.sku === sku && isValid(tier, at));
  const began = ({ validFrom }: ModelTier): number => validFrom?.getTime() ?? Number.NEGATIVE_INFINITY;
  return holding
    .filter(
      (tier) =>
        !holding.some((other) => new Decimal(other.quantityFrom).eq(tier.quantityFrom) && began(other) > began(tier)),
    )
    .toSorted((one, other) => new Decimal(one.quantityFrom).cmp(other.quantityFrom));
}

/** Percent, of every article. */
export const taxRate = 25;

/** The amount of a list without tax. */
const toNet = (list: ModelList, amount: string): Decimal =>
  list.taxIncluded ? new Decimal(amount).times(100).dividedBy(100 + taxRate) : new Decimal(amount);

/** The expected result of `resolvePrices` for one item. */
export function naivePrice(lists: ModelList[], sku: string, quantity: string, buyer: ModelBuyer) {
  const ranked = lists.toSorted(byRank).map((list) => {
    const tiers = findTiers(list, sku, buyer.at);
    const reached = tiers.filter(({ quantityFrom }) => new Decimal(quantityFrom).lte(quantity));
    return { list, reached: reached.at(-1), next: tiers[reached.length], reason: findReason(list, tiers, reached) };
  });
  const applying = ranked.filter(({ reason }) => reason === undefined);
  const chosen =
    buyer.strategy === 'PRIORITY'
      ? applying[0]
      : applying.toSorted((one, other) =>
          toNet(one.list, one.reached?.amount ?? '0').cmp(toNet(other.list, other.reached?.amount ?? '0')),
        )[0];
  const trace = ranked.map((one) => ({
    list: one.list.code,
    reason: one.reason ?? (one === chosen ? 'selected' : 'outranked'),
  }));
  if (!chosen?.reached) return { sku, quantity, amount: null, trace };
  return {
    sku,
    quantity,
    currency: buyer.currency,
    amount: chosen.reached.amount,
    taxIncluded: chosen.list.taxIncluded,
    list: chosen.list.code,
    tier: { quantityFrom: chosen.reached.quantityFrom },
    nextTier: chosen.next ? { quantityFrom: chosen.next.quantityFrom, amount: chosen.next.amount } : null,
    trace,
  };

  function findReason(list: ModelList, tiers: ModelTier[], reached: ModelTier[]): string | undefined {
    const isForBuyer =
      list.currency === buyer.currency && scopes.every((scope) => list[scope] === null || list[scope] === buyer[scope]);
    if (!isForBuyer) return 'scope_mismatch';
    if (!isValid(list, buyer.at)) return 'expired';
    if (tiers.length === 0) return list.tiers.some((tier) => tier.sku === sku) ? 'expired' : 'no_row';
    return reached.length === 0 ? 'below_min_quantity' : undefined;
  }
}
