import type { Deps } from '#src/infra/deps.ts';
import type { Services } from '#src/infra/services.ts';
import { drainInbound, type Inbound, openInbound } from './inbound/inbound.service.ts';
import { commercePackage } from './nodes/commerce-package.ts';
import { createCreditCheck } from './order-placement/credit.service.ts';
import { createOrderBatchers, type OrderPlacementDeps } from './order-placement/order-placement.service.ts';
import { type LiveOrderDeps, openLiveOrders } from './orders/live-orders.service.ts';
import type { OrderCountDeps } from './orders/order-count.reads.ts';
import { createBookingBatcher, type StockDeps } from './stock/stock.service.ts';
import { webhookDeliveries } from './webhooks/fan-out.service.ts';

declare module '#src/infra/services.ts' {
  interface Services {
    commerce: Commerce;
  }
}

/**
 * The services that the domain's use cases share in a process, in addition to those of all domains. A slice declares the part that it
 * needs.
 */
export interface Commerce extends StockDeps, OrderCountDeps, OrderPlacementDeps, LiveOrderDeps {
  inbound: Inbound;
}

export const commerceServices = {
  nodePackages: (deps: Deps, services: Pick<Services, 'imports'>) => [commercePackage(deps, services)],
  open({
    deps,
    services: { automation, ownTopics },
  }: {
    deps: Deps;
    services: Pick<Services, 'automation' | 'ownTopics'>;
  }) {
    const { database } = deps;
    const inbound = openInbound(automation, ownTopics);
    const commerce: Commerce = {
      database,
      bookings: createBookingBatcher(database),
      orderBatchers: createOrderBatchers(database),
      checkCredit: createCreditCheck(automation),
      fullSince: new Map(),
      liveOrders: openLiveOrders(deps),
      inbound,
    };
    return {
      services: { commerce },
      consumers: [webhookDeliveries(deps)],
      async close() {
        await Promise.all([commerce.bookings.drain(), commerce.orderBatchers.orders.drain(), drainInbound(inbound)]);
      },
    };
  },
};
