import { encodeGlobalID, type NodeObjectOptions } from '@pothos/plugin-relay';
import { attributesSchemaName } from '#src/commerce/attributes/attributes.inputs.ts';
import { readAttributeFilter } from '#src/commerce/attributes/attributes.service.ts';
import { type OrderTax, computeTaxes } from '#src/commerce/order-amounts/taxes.rules.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { tenantSchema } from '#src/infra/tenant-schemas.ts';
import { type ChangeRow, findChanges } from './order-changes.reads.ts';
import { countOrders } from './order-count.reads.ts';
import { fulfillmentStatuses, holdReasons, orderStatuses, paymentStatuses } from './orders.inputs.ts';
import {
  findOrders,
  findPositions,
  type OrderFilter,
  orderList,
  type OrderRow,
  type PositionRow,
} from './orders.reads.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    Order: OrderRow;
    OrderPosition: PositionRow;
  }
}

type LoadMany<Type extends 'Order' | 'OrderPosition'> = Pick<
  NodeObjectOptions<typeof builder.$inferSchemaTypes, Type, []>,
  'loadMany'
>;

const reads = { member: true, scope: 'orders:read' } as const;

const OrderStatusEnum = defineEnum('OrderStatus', orderStatuses, {
  description: 'What the ERP made of an order.',
  values: { pending: 'The ERP has not confirmed it yet.', acknowledged: 'The ERP has booked it.' },
});
const PaymentStatusEnum = defineEnum('PaymentStatus', paymentStatuses, {
  description: 'What was paid for an order.',
  values: {
    authorized: 'Promised, and not yet taken.',
    voided: 'The promise was given up.',
  },
});
const FulfillmentStatusEnum = defineEnum('FulfillmentStatus', fulfillmentStatuses, {
  description: 'What of an order was sent, and what came back.',
});
const HoldReasonEnum = defineEnum('HoldReason', holdReasons, {
  description: 'What an order waits for before the ERP learns of it.',
  values: {
    credit: 'The organization is blocked or over its credit limit, or nobody could say.',
    approval: "It is over the contact's limit or the budget of a cost centre.",
  },
});

const TotalsRef = builder.objectRef<Pick<OrderRow, 'net' | 'tax' | 'gross'>>('OrderTotals').implement({
  description: 'The amounts of an order, in its currency.',
  fields: (t) => ({
    net: t.expose('net', { type: 'Decimal', description: 'The sum of the positions.' }),
    tax: t.expose('tax', { type: 'Decimal', description: "Rounded half up to the currency's minor unit." }),
    gross: t.expose('gross', { type: 'Decimal', description: 'Net and tax.' }),
  }),
});

const TaxRef = builder.objectRef<OrderTax>('OrderTax').implement({
  description: 'What all positions of one tax rate come to, in the currency of the order.',
  fields: (t) => ({
    rate: t.expose('rate', { type: 'Decimal', description: 'Percent of the net price.' }),
    net: t.expose('net', { type: 'Decimal', description: 'The sum of the positions of this rate.' }),
    tax: t.expose('tax', {
      type: 'Decimal',
      description:
        'The sum of the tax of these positions, rounded as the tax of the order is: each, or only their sum.',
    }),
    gross: t.expose('gross', { type: 'Decimal', description: 'Net and tax.' }),
  }),
});

const positionNode: LoadMany<'OrderPosition'> = {
  async loadMany(ids, context) {
    const { deps, tenantId } = inTenant(context);
    const keys = ids.map((id) => Number(readId('OrderPosition', id)));
    const found = new Map((await findPositions(deps.database, tenantId, keys)).map((row) => [row.id, row]));
    return keys.map((key) => found.get(key) ?? null);
  },
};

const PositionRef = builder.objectType('OrderPosition', {
  ...positionNode,
  description: 'A line of an order.',
  extensions: nodeAccess(reads),
  interfaces: [builder.nodeInterfaceRef()],
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'lineTotal' in value,
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => encodeGlobalID('OrderPosition', id) }),
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    sku: t.exposeString('sku', { description: 'Of the product that was ordered.' }),
    name: t.exposeString('name', { description: 'Of the product when it was ordered.' }),
    quantity: t.expose('quantity', { type: 'Decimal', description: 'What was ordered.' }),
    unitPrice: t.expose('unitPrice', { type: 'Decimal', description: 'For one unit.' }),
    taxIncluded: t.exposeBoolean('taxIncluded', { description: 'Whether `unitPrice` includes the tax.' }),
    taxRate: t.expose('taxRate', { type: 'Decimal', description: 'Percent of the net price, when it was ordered.' }),
    lineTotal: t.expose('lineTotal', {
      type: 'Decimal',
      description: 'For the quantity, net, also where `unitPrice` includes the tax.',
    }),
    location: t.exposeString('location', { description: 'Where its stock is reserved.' }),
    costCentre: t.exposeString('costCentre', { nullable: true, description: 'The code the buyer books it on.' }),
    buyerArticleNumber: t.exposeString('buyerArticleNumber', {
      nullable: true,
      description: "The buyer's own number of the article.",
    }),
    text: t.exposeString('text', { nullable: true, description: 'A note.' }),
    reserved: t.expose('reserved', { type: 'Decimal', description: 'What the order still holds of the stock.' }),
    shipped: t.expose('shipped', { type: 'Decimal', description: 'What was sent.' }),
    returned: t.expose('returned', { type: 'Decimal', description: 'What came back of it.' }),
  }),
});

export const OrderChangeRef = builder.objectRef<ChangeRow>('OrderChange').implement({
  description: 'An entry in the history of an order.',
  fields: (t) => ({
    action: t.exposeString('action', { description: 'What was done, e.g. `acknowledge`.' }),
    details: t.expose('details', { type: 'JSON', description: 'What it changed, e.g. the number in the ERP.' }),
    actorSub: t.exposeString('actorSub', {
      nullable: true,
      description:
        'Who did it: the subject of a user, `api-key/` and the prefix of a key, or `run/` and the id of a run; null for the system.',
    }),
    actorEmail: t.exposeString('actorEmail', { nullable: true, description: 'Their e-mail address.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const loadHistory = createFieldLoader(async (context, ids: number[]) => {
  const { deps, tenantId } = inTenant(context);
  return Map.groupBy(await findChanges(deps.database, tenantId, ids), ({ orderId }) => orderId);
});

const orderNode: LoadMany<'Order'> = {
  async loadMany(ids, context) {
    const { deps, tenantId } = inTenant(context);
    const keys = ids.map((id) => Number(readId('Order', id)));
    const found = new Map((await findOrders(deps.database, tenantId, keys)).map((row) => [row.id, row]));
    return keys.map((key) => found.get(key) ?? null);
  },
};

const OrderPermissions = permissionsType('OrderPermissions', {
  acknowledge: 'acknowledgeOrder',
  cancel: 'cancelOrder',
  complete: 'completeOrder',
  release: 'releaseOrder',
  createShipment: 'createShipment',
  createReturn: 'createReturn',
  recordPayment: 'recordPayment',
});

/** Plain properties: an order and its positions are read in one statement (see plain-query.ts). */
export const OrderRef = builder.objectType('Order', {
  ...orderNode,
  description: 'What a buyer ordered. Its three statuses move independently of each other.',
  extensions: nodeAccess(reads),
  interfaces: [builder.nodeInterfaceRef()],
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'fulfillmentStatus' in value,
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => encodeGlobalID('Order', id) }),
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    number: t.exposeString('number', {
      description: 'Rises with each order of the tenant. An order that was refused leaves a gap.',
    }),
    externalKey: t.exposeString('externalKey', { nullable: true, description: 'What the shop knows it by.' }),
    status: t.expose('status', { type: OrderStatusEnum, description: 'What the ERP made of it.' }),
    paymentStatus: t.expose('paymentStatus', { type: PaymentStatusEnum, description: 'What was paid.' }),
    fulfillmentStatus: t.expose('fulfillmentStatus', { type: FulfillmentStatusEnum, description: 'What was sent.' }),
    holdReason: t.expose('holdReason', {
      type: HoldReasonEnum,
      nullable: true,
      description: 'Why the ERP does not learn of it yet; null where it is not held.',
    }),
    uid: t.exposeString('uid', {
      description:
        'A random UUID that no other order ever has, also after a failover or a restore: for idempotency keys.',
    }),
    erpNumber: t.exposeString('erpNumber', { nullable: true, description: 'Its number in the ERP.' }),
    customerOrderNumber: t.exposeString('customerOrderNumber', {
      nullable: true,
      description: "The buyer's own number of the order.",
    }),
    organizationId: t.expose('organizationId', {
      type: 'Long',
      nullable: true,
      description: 'The `databaseId` of the organization that buys.',
    }),
    contactId: t.expose('contactId', {
      type: 'Long',
      nullable: true,
      description: 'The `databaseId` of the contact who ordered.',
    }),
    channel: t.exposeString('channel', { nullable: true, description: 'Where it was placed, e.g. `web`.' }),
    currency: t.exposeString('currency', { description: 'Three capitals, by ISO 4217.' }),
    totals: t.field({ type: TotalsRef, description: 'Its amounts.', resolve: (order) => order }),
    taxes: t.field({
      type: [TaxRef],
      description:
        'Net, tax and gross of each tax rate, the lowest rate first, at most 200; they add up to the `totals`.',
      resolve: (order) => computeTaxes(order),
    }),
    positions: t.field({
      type: [PositionRef],
      description: 'Its lines, at most 200.',
      resolve: (order) => order.positions,
    }),
    shippingAddress: t.field({
      type: 'Address',
      nullable: true,
      description: 'Where the goods go.',
      resolve: (order) => order.shippingAddress,
    }),
    billingAddress: t.field({
      type: 'Address',
      nullable: true,
      description: 'Where the invoice goes.',
      resolve: (order) => order.billingAddress,
    }),
    attributes: t.expose('attributes', {
      type: 'JSON',
      description: "The tenant's own attributes, by code.",
      extensions: tenantSchema(attributesSchemaName.order),
    }),
    changes: t.field({
      type: [OrderChangeRef],
      description: 'Who did what, and when; oldest first, at most 1,000.',
      complexity: 10,
      resolve: async ({ id }, _args, context, info) => (await loadHistory(context, info, id, undefined)) ?? [],
    }),
    viewerCan: t.field({ type: OrderPermissions, resolve: () => permissions }),
    placedAt: t.expose('placedAt', { type: 'DateTime', description: 'When the buyer placed it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

export const OrderFilterInput = builder.inputType('OrderFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    status: t.field({ type: [OrderStatusEnum], description: 'Any of these; all where it is empty or left out.' }),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
    placedSince: t.field({ type: 'DateTime', description: 'Placed at this instant or later.' }),
    placedUntil: t.field({ type: 'DateTime', description: 'Placed before this instant.' }),
    organizationId: t.id({ description: 'Those that this organization placed.' }),
    search: t.string({
      description:
        "The beginning of the number, of the ERP's or of the buyer's own, the whole external key, or part of the customer's number or name; at most 191 characters.",
    }),
    attributes: t.field({
      type: 'JSON',
      description: 'Those with these values of attributes, by code: `{ gift: true }`; at most 10.',
    }),
  }),
});

/** The filter of a request, with its attributes checked and the organization's id read. */
export async function readOrderFilter(
  context: Context,
  filter: typeof OrderFilterInput.$inferInput | null | undefined,
): Promise<Omit<OrderFilter, 'tenantId'>> {
  const { deps, tenantId } = inTenant(context);
  const attributes = await readAttributeFilter(deps, tenantId, 'order', filter?.attributes);
  const organizationId = filter?.organizationId == null ? null : readId('Organization', filter.organizationId);
  return { ...filter, attributes, organizationId };
}

const OrderOrderInput = orderInput('Order', {
  of: 'orders',
  fields: { CREATED_AT: {}, UPDATED_AT: {}, PLACED_AT: {}, NUMBER: {} },
  direction: 'DESC',
});

builder.queryFields((t) => ({
  order: t.field({
    type: OrderRef,
    description: 'An order of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) => {
      const { deps, tenantId } = inTenant(context);
      return (await findOrders(deps.database, tenantId, [readId('Order', id)]))[0];
    },
  }),
  orders: t.connection(
    {
      type: OrderRef,
      description: 'The orders of the tenant, with their positions.',
      authScopes: reads,
      args: {
        filter: t.arg({ type: OrderFilterInput }),
        orderBy: t.arg({ type: OrderOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: async (_root, { filter, orderBy, ...page }, context) => {
        const { deps, commerce, tenantId } = inTenant(context);
        const within = { ...(await readOrderFilter(context, filter)), tenantId };
        return pageInOrder(orderList, page, {
          filter: within,
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => findOrders(deps.database, tenantId, ids),
          count: (most) => countOrders(commerce, within, most),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(OrderRef),
  ),
}));
