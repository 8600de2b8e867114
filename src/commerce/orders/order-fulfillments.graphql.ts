import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import {
  type FulfillmentLine,
  findFulfillmentLines,
  findFulfillmentsOfOrders,
  findPaymentsOfOrders,
  maxParts,
} from './order-fulfillments.reads.ts';
import { findPositions, type PositionRow } from './orders.reads.ts';

// What was sent, what came back and what was paid of an order.

const loadFulfillments = createFieldLoader(async (context, ids: number[]) => {
  const { deps, tenantId } = inTenant(context);
  return Map.groupBy(await findFulfillmentsOfOrders(deps.database, tenantId, ids), ({ orderId }) => orderId);
});

const loadPayments = createFieldLoader(async (context, ids: number[]) => {
  const { deps, tenantId } = inTenant(context);
  return Map.groupBy(await findPaymentsOfOrders(deps.database, tenantId, ids), ({ orderId }) => orderId);
});

const loadLines = createFieldLoader(async (context, ids: number[]) => {
  const { deps, tenantId } = inTenant(context);
  return Map.groupBy(await findFulfillmentLines(deps.database, tenantId, ids), ({ fulfillmentId }) => fulfillmentId);
});

const loadPosition = createFieldLoader(async (context, ids: number[]) => {
  const { deps, tenantId } = inTenant(context);
  return new Map((await findPositions(deps.database, tenantId, ids)).map((row) => [row.id, row]));
});

const LineRef = builder.objectRef<FulfillmentLine>('FulfillmentLine').implement({
  description: 'How much of a position of the order was sent, or came back.',
  fields: (t) => ({
    quantity: t.expose('quantity', { type: 'Decimal', description: 'How much of it.' }),
    position: t.field({
      type: 'OrderPosition',
      description: 'The position of the order.',
      resolve: async ({ positionId }, _args, context, info) =>
        (await loadPosition(context, info, positionId, undefined)) as PositionRow,
    }),
  }),
});

const most = maxParts.toLocaleString('en');

builder.objectFields('Order', (t) => ({
  shipments: t.field({
    type: ['Shipment'],
    description: `What was sent, oldest first, at most ${most}.`,
    complexity: 10,
    resolve: async ({ id }, _args, context, info) =>
      (await loadFulfillments(context, info, id, undefined))?.filter(({ kind }) => kind === 'shipment') ?? [],
  }),
  returns: t.field({
    type: ['Return'],
    description: `What came back, oldest first, at most ${most}.`,
    complexity: 10,
    resolve: async ({ id }, _args, context, info) =>
      (await loadFulfillments(context, info, id, undefined))?.filter(({ kind }) => kind === 'return') ?? [],
  }),
  payments: t.field({
    type: ['Payment'],
    description: `What was paid, and paid back, oldest first, at most ${most}.`,
    complexity: 10,
    resolve: async ({ id }, _args, context, info) => (await loadPayments(context, info, id, undefined)) ?? [],
  }),
}));

const lines = { description: 'What moved, in the order of the positions, at most 200.', complexity: 10 };

builder.objectFields('Shipment', (t) => ({
  lines: t.field({
    ...lines,
    type: [LineRef],
    resolve: async ({ id }, _args, context, info) => (await loadLines(context, info, id, undefined)) ?? [],
  }),
}));

builder.objectFields('Return', (t) => ({
  lines: t.field({
    ...lines,
    type: [LineRef],
    resolve: async ({ id }, _args, context, info) => (await loadLines(context, info, id, undefined)) ?? [],
  }),
}));
