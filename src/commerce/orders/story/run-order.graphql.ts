import { OrderRef } from '#src/commerce/orders/orders.graphql.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { findOrdersOfRuns } from './run-order.reads.ts';

const loadOrder = createFieldLoader((context, runIds: number[], _asked: undefined) => {
  const { deps, tenantId } = inTenant(context);
  return findOrdersOfRuns(deps.database, tenantId, runIds);
});

builder.objectFields('Run', (t) => ({
  order: t.field({
    type: OrderRef,
    nullable: true,
    description:
      'The order whose event started it, or started what started it: the run is in the `story` of that order.',
    resolve: async ({ id }, _args, context, info) => (await loadOrder(context, info, id, undefined)) ?? null,
  }),
}));
