import { encodeGlobalID, type NodeObjectOptions } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { readId } from '#src/infra/inputs.ts';
import { createFulfillment } from './fulfillments.service.ts';
import { type Fulfillment, findFulfillments } from './fulfillments.store.ts';
import {
  type FulfillmentKind,
  createReturnInput,
  createShipmentInput,
  paymentKinds,
  recordPaymentInput,
} from './orders.inputs.ts';
import { findOrders, type OrderRow } from './orders.reads.ts';
import { recordPayment } from './payments.service.ts';
import { findPayments, type PaymentRow } from './payments.store.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    Shipment: Fulfillment;
    Return: Fulfillment;
    Payment: PaymentRow;
  }
}

const reads = { member: true, scope: 'orders:read' } as const;
const reports = { admin: true, scope: 'orders:write' } as const;

const loadOrder = createFieldLoader(async (context, ids: number[]) => {
  const { deps, tenantId } = inTenant(context);
  return new Map((await findOrders(deps.database, tenantId, ids)).map((order) => [order.id, order]));
});

type LoadMany<Type extends 'Shipment' | 'Return' | 'Payment'> = Pick<
  NodeObjectOptions<typeof builder.$inferSchemaTypes, Type, []>,
  'loadMany'
>;

const fulfillmentType = (name: 'Shipment' | 'Return', kind: FulfillmentKind, description: string) => {
  const node: LoadMany<'Shipment' | 'Return'> = {
    async loadMany(ids, context) {
      const { deps, tenantId } = inTenant(context);
      const keys = ids.map((id) => Number(readId(name, id)));
      const found = await findFulfillments(deps.database, tenantId, kind, keys);
      return keys.map((key) => found.find(({ id }) => id === key) ?? null);
    },
  };
  return builder.objectType(name, {
    ...node,
    description,
    extensions: nodeAccess(reads),
    interfaces: [builder.nodeInterfaceRef()],
    isTypeOf: (value) => typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind,
    fields: (t) => ({
      id: t.id({ resolve: ({ id }) => encodeGlobalID(name, id) }),
      databaseId: t.expose('id', { type: 'Long', description: 'The number in its global id.' }),
      reference: t.exposeString('reference', { description: 'What who reported it knows it by.' }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was reported.' }),
      order: t.field({
        type: 'Order',
        description: 'The order it is of.',
        resolve: async ({ orderId }, _args, context, info) =>
          (await loadOrder(context, info, orderId, undefined)) as OrderRow,
      }),
    }),
  });
};

const ShipmentRef = fulfillmentType('Shipment', 'shipment', 'Goods that left for an order.');
const ReturnRef = fulfillmentType('Return', 'return', 'Goods that came back from an order.');

builder.relayMutationField(
  'createShipment',
  mutationInput(createShipmentInput, (t) => ({
    orderId: t.id({ required: true, description: 'The order that they leave for.' }),
  })),
  {
    description: 'Records goods that left for an order, and issues them from what it reserves.',
    authScopes: reports,
    errors: errorTypes,
    resolve: async (_root, { input: { orderId, ...input } }, context) => ({
      shipment: await createFulfillment(context.deps, inTenant(context).actor, 'shipment', {
        ...input,
        orderId: readId('Order', orderId),
      }),
    }),
  },
  { outputFields: (t) => ({ shipment: t.field({ type: ShipmentRef, resolve: ({ shipment }) => shipment }) }) },
);

builder.relayMutationField(
  'createReturn',
  mutationInput(createReturnInput, (t) => ({
    orderId: t.id({ required: true, description: 'The order that they come back from.' }),
  })),
  {
    description: 'Records goods that came back from an order, and puts them back in stock.',
    authScopes: reports,
    errors: errorTypes,
    resolve: async (_root, { input: { orderId, ...input } }, context) => ({
      returned: await createFulfillment(context.deps, inTenant(context).actor, 'return', {
        ...input,
        orderId: readId('Order', orderId),
      }),
    }),
  },
  { outputFields: (t) => ({ return: t.field({ type: ReturnRef, resolve: ({ returned }) => returned }) }) },
);

const PaymentKindEnum = defineEnum('PaymentKind', paymentKinds, {
  description: 'What happened to the money for an order.',
  values: { authorized: 'It was promised.', captured: 'It was taken.', voided: 'The promise was given up.' },
});

const paymentNode: LoadMany<'Payment'> = {
  async loadMany(ids, context) {
    const { deps, tenantId } = inTenant(context);
    const keys = ids.map((id) => Number(readId('Payment', id)));
    const found = await findPayments(deps.database, tenantId, keys);
    return keys.map((key) => found.find(({ id }) => id === key) ?? null);
  },
};

const PaymentRef = builder.objectType('Payment', {
  ...paymentNode,
  description: 'What was paid for an order, or paid back.',
  extensions: nodeAccess(reads),
  interfaces: [builder.nodeInterfaceRef()],
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'amount' in value && 'orderId' in value,
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => encodeGlobalID('Payment', id) }),
    databaseId: t.expose('id', { type: 'Long', description: 'The number in its global id.' }),
    kind: t.expose('kind', { type: PaymentKindEnum, description: 'What happened to the money.' }),
    amount: t.expose('amount', { type: 'Decimal', description: "In the order's currency." }),
    reference: t.exposeString('reference', { description: 'What who reported it knows it by.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was reported.' }),
  }),
});

builder.relayMutationField(
  'recordPayment',
  mutationInput(recordPaymentInput, (t) => ({
    orderId: t.id({ required: true, description: 'The order that is paid.' }),
  })),
  {
    description: 'Records what was paid for an order, or paid back, which moves its payment status.',
    authScopes: reports,
    errors: errorTypes,
    resolve: async (_root, { input: { orderId, ...input } }, context) => ({
      payment: await recordPayment(context.deps, inTenant(context).actor, {
        ...input,
        orderId: readId('Order', orderId),
      }),
    }),
  },
  { outputFields: (t) => ({ payment: t.field({ type: PaymentRef, resolve: ({ payment }) => payment }) }) },
);
