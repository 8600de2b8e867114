import { compare } from '#console/commerce/exact.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { moneyText, numberText, timeText } from '#console/words/values.ts';
import type { ExplainPrice } from './prices.documents.ts';
import { priceWords as w } from './prices.words.ts';
import type { Question } from './question.ts';

type Data = ResultOf<typeof ExplainPrice>;
export type Resolution = Data['resolvePrices'][number];
export type TraceEntry = Resolution['trace'][number];
type PriceList = NonNullable<TraceEntry['priceList']>;
export type Price = Data['prices']['edges'][number]['node'];

/** The facts by which a price list applies or does not. `at` is in milliseconds. */
export interface Grounds {
  question: Question;
  at: number;
  found: Resolution;
  isCheapest: boolean;
  /** The prices of the article in the list. */
  prices: readonly Price[];
}

type Validity = Pick<PriceList, 'validFrom' | 'validUntil'>;

/** A validity holds its first instant, and not its last. */
export const isValidAt = ({ validFrom, validUntil }: Validity, at: number): boolean =>
  (validFrom === null || Date.parse(validFrom) <= at) && (validUntil === null || at < Date.parse(validUntil));

/** The price of the list that holds for the quantity: of the valid ones the largest start, and of these the one that began last. */
export function tierFor(prices: readonly Price[], quantity: string, at: number): Price | undefined {
  const began = ({ validFrom }: Price) => (validFrom === null ? -Infinity : Date.parse(validFrom));
  return prices
    .filter((price) => isValidAt(price, at) && compare(price.quantityFrom, quantity) <= 0)
    .toSorted((a, b) => compare(b.quantityFrom, a.quantityFrom) || began(b) - began(a))[0];
}

/** Each scope of the list that is not the buyer's, in words. */
function mismatches(list: PriceList, question: Question): string[] {
  const asked = { ...question, currency: question.currency.trim().toUpperCase() };
  return (['currency', 'customer', 'channel', 'market'] as const)
    .filter((scope) => list[scope] !== null && list[scope] !== asked[scope].trim())
    .map((scope) => w.mismatch(scope, list[scope] ?? '', asked[scope].trim()));
}

const endOf = ({ validFrom, validUntil }: Validity, at: number): string | undefined =>
  validFrom !== null && at < Date.parse(validFrom)
    ? w.notYet(timeText(validFrom))
    : validUntil !== null && Date.parse(validUntil) <= at
      ? w.noLonger(timeText(validUntil))
      : undefined;

/** One sentence that says why. */
export function whyOf({ reason, priceList }: TraceEntry, { question, at, found, isCheapest, prices }: Grounds): string {
  const sku = question.sku.trim();
  const tier = tierFor(prices, question.quantity.trim(), at);
  switch (reason) {
    case 'selected':
      return isCheapest ? w.selectedCheapest : w.selectedFirst;
    case 'outranked': {
      const amount = tier ? moneyText(tier.amount, tier.currency) : '';
      return isCheapest ? w.dearer(amount, found.list ?? '') : w.outranked(amount, found.list ?? '');
    }
    case 'below_min_quantity': {
      const least = prices
        .filter((price) => isValidAt(price, at))
        .toSorted((a, b) => compare(a.quantityFrom, b.quantityFrom))[0];
      return w.below(numberText(least?.quantityFrom ?? ''));
    }
    case 'no_row':
      return w.noRow(sku);
    case 'expired':
      return (priceList && endOf(priceList, at)) ?? w.pricesExpired(sku);
    case 'scope_mismatch':
      return priceList ? mismatches(priceList, question).join(' ') : w.gone;
    default:
      return reason;
  }
}
