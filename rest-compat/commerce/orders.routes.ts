import { z } from 'zod';
import { inputBody, json } from '#rest/bodies.ts';
import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { acknowledgeOrderInput, cancelOrderInput, orderStatuses } from '#src/commerce/orders/orders.inputs.ts';
import { instantText } from '#src/infra/text/instant-text.ts';
import { attributeParameters, attributesIn } from './attribute-parameters.ts';

const tag = { name: 'Orders', description: 'What buyers ordered, for the ERP to fulfil.' };

const orderFields = `fragment Order on Order {
  id: databaseId number uid external_key: externalKey status payment_status: paymentStatus
  fulfillment_status: fulfillmentStatus hold_reason: holdReason erp_number: erpNumber
  customer_order_number: customerOrderNumber organization_id: organizationId contact_id: contactId channel currency
  totals { net tax gross } taxes { rate net tax gross }
  positions {
    id: databaseId sku name quantity unit_price: unitPrice tax_included: taxIncluded tax_rate: taxRate line_total: lineTotal location
    cost_centre: costCentre buyer_article_number: buyerArticleNumber text
  }
  shipping_address: shippingAddress { type name street postal_code: postalCode city country }
  billing_address: billingAddress { type name street postal_code: postalCode city country }
  attributes placed_at: placedAt created_at: createdAt updated_at: updatedAt
}`;

export const orderRoutes = [
  route({
    method: 'GET',
    path: '/orders',
    name: 'listOrders',
    tag,
    summary: 'The orders of the tenant, with their positions.',
    document: `query ($filter: OrderFilter, $orderBy: OrderOrder, $first: Int, $offset: Int) {
      orders(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset) {
        totalCount edges { node { ...Order } }
      }
    } ${orderFields}`,
    query: z
      .object({ status: z.enum(orderStatuses).optional(), updated_since: instantText.optional() })
      .catchall(attributeParameters('order')),
    list: {
      order: { fields: ['created_at', 'updated_at', 'placed_at', 'number'], byDefault: 'created_at.desc' },
    },
    variables: ({ query: { status, updated_since: updatedSince, ...more }, page }) => ({
      filter: { ...(status && { status: [status.toUpperCase()] }), updatedSince, attributes: attributesIn(more) },
      ...page,
    }),
  }),
  route({
    method: 'GET',
    path: '/orders/{id}',
    name: 'getOrder',
    tag,
    summary: 'An order with its positions.',
    document: `query ($id: ID!) { order(id: $id) { ...Order } } ${orderFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
  }),
  route({
    method: 'POST',
    path: '/orders/{id}/acknowledge',
    name: 'acknowledgeOrder',
    tag,
    summary: 'Confirms that the ERP booked the order. A repeat answers the same.',
    document: `mutation ($input: AcknowledgeOrderInput!) {
      acknowledgeOrder(input: $input) { ... on AcknowledgeOrderPayload { order { ...Order } } ...Failure }
    } ${orderFields}`,
    body: inputBody(acknowledgeOrderInput),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: one({ at: 'order' }),
    refuses: ['CONFLICT'],
    example: { body: { erp_number: 'SO-4711' } },
  }),
  route({
    method: 'POST',
    path: '/orders/{id}/cancel',
    name: 'cancelOrder',
    tag,
    summary: 'Cancels an order of which nothing was shipped, and releases its stock. A repeat answers the same.',
    document: `mutation ($input: CancelOrderInput!) {
      cancelOrder(input: $input) { ... on CancelOrderPayload { order { ...Order } } ...Failure }
    } ${orderFields}`,
    body: inputBody(cancelOrderInput),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: one({ at: 'order' }),
    refuses: ['CONFLICT'],
    example: { body: { reason: 'The buyer withdrew.' } },
  }),
  route({
    method: 'POST',
    path: '/orders/{id}/complete',
    name: 'completeOrder',
    tag,
    summary: 'Completes an order and issues the stock that it still reserves. A repeat answers the same.',
    document: `mutation ($input: CompleteOrderInput!) {
      completeOrder(input: $input) { ... on CompleteOrderPayload { order { ...Order } } ...Failure }
    } ${orderFields}`,
    body: json(z.object({})),
    variables: ({ params }) => ({ input: { id: params.id } }),
    reply: one({ at: 'order' }),
    refuses: ['CONFLICT'],
    example: { body: {} },
  }),
];
