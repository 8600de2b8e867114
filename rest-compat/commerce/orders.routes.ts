import { z } from 'zod';
import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { orderStatuses } from '#src/commerce/orders/orders.inputs.ts';
import { instantText } from '#src/infra/instant-text.ts';

const tag = { name: 'Orders', description: 'What buyers ordered, for the ERP to fulfil.' };

const orderFields = `fragment Order on Order {
  id: databaseId number external_key: externalKey status payment_status: paymentStatus
  fulfillment_status: fulfillmentStatus hold_reason: holdReason erp_number: erpNumber
  customer_order_number: customerOrderNumber organization_id: organizationId contact_id: contactId channel currency
  totals { net tax gross }
  positions {
    id: databaseId sku name quantity unit_price: unitPrice tax_rate: taxRate line_total: lineTotal location
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
    query: z.object({ status: z.enum(orderStatuses).optional(), updated_since: instantText.optional() }),
    list: {
      order: { fields: ['created_at', 'updated_at', 'placed_at', 'number'], byDefault: 'created_at.desc' },
    },
    variables: ({ query: { status, updated_since: updatedSince }, page }) => ({
      filter: { ...(status && { status: [status.toUpperCase()] }), updatedSince },
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
];
