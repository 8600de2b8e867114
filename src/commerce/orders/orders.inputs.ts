import { z } from 'zod';
import { address } from '#src/commerce/addresses/addresses.inputs.ts';
import { attributesOf } from '#src/commerce/attributes/attributes.inputs.ts';
import { decimal, money } from '#src/infra/decimals.ts';

export const orderStatuses = ['pending', 'acknowledged', 'completed', 'cancelled'] as const;
export type OrderStatus = (typeof orderStatuses)[number];
export const paymentStatuses = [
  'unpaid',
  'authorized',
  'partially_paid',
  'paid',
  'partially_refunded',
  'refunded',
  'voided',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];
export const fulfillmentStatuses = [
  'unfulfilled',
  'partially_fulfilled',
  'fulfilled',
  'partially_returned',
  'returned',
] as const;
export type FulfillmentStatus = (typeof fulfillmentStatuses)[number];
export const holdReasons = ['credit', 'approval'] as const;
export type HoldReason = (typeof holdReasons)[number];
export const orderActions = ['acknowledge', 'cancel', 'complete'] as const;
export type OrderAction = (typeof orderActions)[number];
export const paymentKinds = ['authorized', 'captured', 'refunded', 'voided'] as const;
export type PaymentKind = (typeof paymentKinds)[number];
export const fulfillmentKinds = ['shipment', 'return'] as const;
export type FulfillmentKind = (typeof fulfillmentKinds)[number];

const label = z.string().trim().min(1).max(191);
/** A price is resolved for as many articles at once. */
const mostPositions = 200;

const position = z
  .object({
    sku: label,
    quantity: decimal({ sign: 'positive' }),
    /** For one unit. Left out: the price that applies to the buyer. */
    unitPrice: money({ sign: 'not negative' }).nullish(),
    /** Whether `unitPrice` includes the tax; left out, it does not. The price list says it of a price that is left out. */
    taxIncluded: z.boolean().nullish(),
    /** Where its stock is reserved; left out: `main`. */
    location: z.string().trim().min(1).max(64).nullish(),
    costCentre: label.nullish(),
    buyerArticleNumber: label.nullish(),
    text: z.string().max(2_000).nullish(),
  })
  .refine(({ unitPrice, taxIncluded }) => unitPrice != null || taxIncluded == null, {
    path: ['taxIncluded'],
    message: 'Give a unitPrice with it, or leave it out: the price list says whether its prices include the tax.',
  });

export const createOrderInput = z.object({
  currency: z.string().regex(/^[A-Z]{3}$/, 'Use three capitals, such as EUR.'),
  channel: label.nullish(),
  customerOrderNumber: label.nullish(),
  externalKey: label.nullish(),
  shippingAddress: address.nullish(),
  billingAddress: address.nullish(),
  attributes: attributesOf('order').nullish(),
  positions: z
    .array(position)
    .min(1, 'Give one position at least.')
    .max(mostPositions, `Give at most ${mostPositions} positions.`),
});
export type NewOrder = z.output<typeof createOrderInput>;

export const acknowledgeOrderInput = z.object({ erpNumber: label.nullish() });
export const cancelOrderInput = z.object({ reason: z.string().trim().max(500).nullish() });

export const fulfillmentInput = z.object({
  reference: label,
  /** Left out: all that is left. */
  positions: z
    .array(z.object({ positionId: z.string(), quantity: decimal({ sign: 'positive' }) }))
    .max(mostPositions)
    .nullish(),
});

export const recordPaymentInput = z.object({
  kind: z.enum(paymentKinds),
  amount: money({ sign: 'positive' }),
  reference: label,
});
