import type { AddressValues } from '#console/ui/screens/filters.ts';

/** What a price is asked for, as it stands in the address. An empty member is left out of the question. */
export interface Question {
  sku: string;
  quantity: string;
  currency: string;
  customer: string;
  channel: string;
  market: string;
  /** An instant; empty: now. */
  at: string;
}

export const questionOf = (address: AddressValues): Question => ({
  sku: address['sku'] ?? '',
  quantity: address['quantity'] ?? '1',
  currency: address['currency'] ?? 'EUR',
  customer: address['customer'] ?? '',
  channel: address['channel'] ?? '',
  market: address['market'] ?? '',
  at: address['at'] ?? '',
});

/** The variables of the query that answers it. */
export function variablesOf({ sku, quantity, currency, customer, channel, market, at }: Question) {
  return {
    sku: sku.trim(),
    items: [{ sku: sku.trim(), quantity: quantity.trim() }],
    currency: currency.trim().toUpperCase(),
    customer: customer.trim() || null,
    channel: channel.trim() || null,
    market: market.trim() || null,
    at: at || null,
  };
}
