import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineListUpdate } from '#src/graphql/list-updates.ts';
import type { ListEvent } from '#src/infra/live/lists/list-view.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import { OrderFilterInput, OrderRef, readOrderFilter } from './orders.graphql.ts';
import type { OrderRow } from './orders.reads.ts';

const OrderListUpdate = defineListUpdate(OrderRef);

builder.subscriptionField('ordersUpdated', (t) =>
  t.field({
    type: OrderListUpdate,
    authScopes: { member: true, scope: 'orders:read' },
    description:
      'Follows the list of orders: new ones, changes, and orders that no longer match. The first event is `RELOAD`.',
    args: { filter: t.arg({ type: OrderFilterInput, description: 'As for `orders`; left out: all.' }) },
    async subscribe(_root, { filter }, context) {
      const { commerce, tenantId } = inTenant(context);
      return new LiveStream(commerce.liveOrders.follow(tenantId, await readOrderFilter(context, filter)));
    },
    resolve: (event: ListEvent<OrderRow>) => event,
  }),
);
