import { z } from 'zod';
import { addressAsData, addressData } from '#src/commerce/addresses/addresses.inputs.ts';
import { attributesSchema } from '#src/commerce/attributes/attributes.inputs.ts';
import { computeTaxes } from '#src/commerce/order-amounts/taxes.rules.ts';
import { defineScopes } from '#src/infra/key-scopes.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';
import { fulfillmentStatuses, holdReasons, orderStatuses, paymentStatuses } from './orders.inputs.ts';
import type { OrderRow } from './orders.reads.ts';

export const auditedOrder = defineAudited({
  type: 'order',
  node: 'Order',
  actions: ['create', 'acknowledge', 'cancel', 'complete', 'release', 'ship', 'return', 'record_payment'],
});

const order = z.object({
  id: z.int(),
  number: z.string(),
  uid: z.uuid(),
  external_key: z.string().nullable(),
  status: z.enum(orderStatuses),
  payment_status: z.enum(paymentStatuses),
  fulfillment_status: z.enum(fulfillmentStatuses),
  hold_reason: z.enum(holdReasons).nullable(),
  erp_number: z.string().nullable(),
  customer_order_number: z.string().nullable(),
  organization_id: z.int().nullable(),
  contact_id: z.int().nullable(),
  channel: z.string().nullable(),
  currency: z.string(),
  totals: z.object({ net: z.string(), tax: z.string(), gross: z.string() }),
  taxes: z.array(z.object({ rate: z.string(), net: z.string(), tax: z.string(), gross: z.string() })),
  positions: z.array(
    z.object({
      id: z.int(),
      sku: z.string(),
      name: z.string(),
      quantity: z.string(),
      unit_price: z.string(),
      tax_included: z.boolean(),
      tax_rate: z.string(),
      line_total: z.string(),
      location: z.string(),
      cost_centre: z.string().nullable(),
      buyer_article_number: z.string().nullable(),
      text: z.string().nullable(),
    }),
  ),
  shipping_address: addressData.nullable(),
  billing_address: addressData.nullable(),
  attributes: attributesSchema('order'),
  placed_at: z.iso.datetime(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const orderCreated = defineTopic({
  name: 'order.created',
  when: 'when an order is placed; one that is held, when it is released',
  data: order,
});
export const orderAcknowledged = defineTopic({
  name: 'order.acknowledged',
  when: 'when the ERP confirms that it booked an order',
  data: order,
});
export const orderCancelled = defineTopic({ name: 'order.cancelled', when: 'when an order is cancelled', data: order });
export const orderCompleted = defineTopic({ name: 'order.completed', when: 'when an order is completed', data: order });

export const orderTopics = [orderCreated, orderAcknowledged, orderCancelled, orderCompleted];
export type OrderTopic = (typeof orderTopics)[number];

/** The order as REST shows it. */
export const orderData = (row: OrderRow): z.input<typeof order> => ({
  id: row.id,
  number: row.number,
  uid: row.uid,
  external_key: row.externalKey,
  status: row.status,
  payment_status: row.paymentStatus,
  fulfillment_status: row.fulfillmentStatus,
  hold_reason: row.holdReason,
  erp_number: row.erpNumber,
  customer_order_number: row.customerOrderNumber,
  organization_id: row.organizationId,
  contact_id: row.contactId,
  channel: row.channel,
  currency: row.currency,
  totals: { net: row.net, tax: row.tax, gross: row.gross },
  taxes: computeTaxes(row),
  positions: row.positions.map((position) => ({
    id: position.id,
    sku: position.sku,
    name: position.name,
    quantity: position.quantity,
    unit_price: position.unitPrice,
    tax_included: position.taxIncluded,
    tax_rate: position.taxRate,
    line_total: position.lineTotal,
    location: position.location,
    cost_centre: position.costCentre,
    buyer_article_number: position.buyerArticleNumber,
    text: position.text,
  })),
  shipping_address: row.shippingAddress && addressAsData(row.shippingAddress),
  billing_address: row.billingAddress && addressAsData(row.billingAddress),
  attributes: row.attributes,
  placed_at: row.placedAt,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'orders:read': true;
    'orders:write': true;
  }
}

export const orderScopes = defineScopes({
  'orders:read': 'Read orders.',
  'orders:write': 'Acknowledge, cancel and complete orders, and report shipments, returns and payments.',
});
