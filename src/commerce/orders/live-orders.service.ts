import { listenToRows, type LiveListDeps } from '#src/infra/live/lists/live-list-source.ts';
import { LiveList } from '#src/infra/live/lists/live-list.ts';
import { defineRowChannel } from '#src/infra/live/row-channel.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { findOrders, type OrderFilter, orderList, type OrderRow } from './orders.reads.ts';

export const ordersChannel = defineRowChannel('causeway_orders');

/** Notifies of orders that were placed or changed. */
export const notifyOrders = (tx: Tx, tenantId: string, ids: readonly number[]): void =>
  tx.notify(
    ordersChannel.name,
    ids.map((id) => [tenantId, id]),
  );

export interface LiveOrderDeps {
  /** The followed lists, by tenant and filter. */
  liveOrders: LiveList<Omit<OrderFilter, 'tenantId'>, OrderRow>;
}

export const openLiveOrders = (deps: LiveListDeps): LiveOrderDeps['liveOrders'] =>
  new LiveList(deps, {
    table: orderList.from,
    conditions: (tenantId, filter, parameters) => orderList.where({ ...filter, tenantId }, parameters),
    listen: listenToRows(deps.live, ordersChannel),
    load: async (tenantId, ids) =>
      new Map((await findOrders(deps.database, tenantId, ids)).map((order) => [order.id, order])),
  });
