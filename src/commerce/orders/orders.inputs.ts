import { z } from 'zod';
import { address } from '#src/commerce/addresses/addresses.inputs.ts';
import { attributesSchema } from '#src/commerce/attributes/attributes.inputs.ts';
import { globalId, graphTypes } from '#src/infra/graph-types.ts';
import { decimal, money } from '#src/infra/text/decimals.ts';

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
/** The same limit as for resolving prices. */
const maxPositions = 200;

const position = z
  .object({
    sku: label.describe('Of a product that is sold.'),
    quantity: decimal({ sign: 'positive' }).describe('More than 0, e.g. `"2.5"`.'),
    unitPrice: money({ sign: 'not negative' })
      .nullish()
      .describe('For one unit; left out: the price that applies to the buyer.'),
    taxIncluded: z.boolean().nullish().describe('Whether `unitPrice` includes the tax; left out, it does not.'),
    location: z.string().trim().min(1).max(64).nullish().describe('Where its stock is reserved; left out: `main`.'),
    costCentre: label.nullish().describe('The code that the buyer books it on.'),
    buyerArticleNumber: label.nullish().describe("The buyer's own number of the article."),
    text: z.string().max(2_000).nullish().describe('A note of at most 2,000 characters.'),
  })
  .refine(({ unitPrice, taxIncluded }) => unitPrice != null || taxIncluded == null, {
    path: ['taxIncluded'],
    message: 'Give a unitPrice with it, or leave it out: the price list says whether its prices include the tax.',
  })
  .register(graphTypes, { type: 'OrderPositionInput', description: 'A line of an order that is placed.' });

export const createOrderInput = z.object({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'Use three capitals, such as EUR.')
    .describe('Three capitals, such as `EUR`.'),
  channel: label.nullish().describe('Where it is placed, e.g. `web`; prices may depend on it.'),
  customerOrderNumber: label.nullish().describe("The buyer's own number of the order."),
  externalKey: label
    .nullish()
    .describe('What the shop knows it by; the same key again answers the first order and changes nothing.'),
  shippingAddress: address.nullish().describe('Where the goods go.'),
  billingAddress: address.nullish().describe('Where the invoice goes.'),
  attributes: attributesSchema('order').nullish().describe("Values of the tenant's attributes, by code."),
  positions: z
    .array(position)
    .min(1, 'Give one position at least.')
    .max(maxPositions, `Give at most ${maxPositions} positions.`)
    .describe('1 to 200 lines.'),
});
export type NewOrder = z.output<typeof createOrderInput>;

export const acknowledgeOrderInput = z.object({
  erpNumber: label.nullish().describe('Its number in the ERP, which never changes once it is known.'),
});
export const cancelOrderInput = z.object({
  reason: z.string().trim().max(500).nullish().describe('Kept in the history; at most 500 characters.'),
});

const fulfilledPositions = z
  .array(
    z
      .object({
        positionId: globalId.describe('A position of the order.'),
        quantity: decimal({ sign: 'positive' }).describe('More than 0.'),
      })
      .register(graphTypes, {
        type: 'FulfillmentPositionInput',
        description: 'How much of a position of an order leaves or comes back.',
      }),
  )
  .max(maxPositions)
  .nullish();

export const createShipmentInput = z.object({
  reference: label.describe('Unique in the tenant; a repeat answers the first.'),
  positions: fulfilledPositions.describe('Left out: all that is left.'),
});
export const createReturnInput = createShipmentInput.extend({
  positions: fulfilledPositions.describe('Left out: all that was shipped.'),
});

export const recordPaymentInput = z.object({
  kind: z.enum(paymentKinds).register(graphTypes, { type: 'PaymentKind' }).describe('What happened to the money.'),
  amount: money({ sign: 'positive' }).describe("More than 0, in the order's currency."),
  reference: label.describe('Unique in the tenant; a repeat answers the first.'),
});
