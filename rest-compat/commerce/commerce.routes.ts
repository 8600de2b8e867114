import type { Route } from '#rest/route.ts';
import { customerRoutes } from './customers.routes.ts';
import { inboundRoutes } from './inbound.routes.ts';
import { orderRoutes } from './orders.routes.ts';
import { priceRoutes } from './prices.routes.ts';
import { productRoutes } from './products.routes.ts';
import { stockRoutes } from './stock.routes.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries.routes.ts';
import { webhookDestinationRoutes } from './webhook-destinations.routes.ts';

export const commerceRoutes: Route[] = [
  ...productRoutes,
  ...priceRoutes,
  ...customerRoutes,
  ...stockRoutes,
  ...orderRoutes,
  ...inboundRoutes,
  ...webhookDestinationRoutes,
  ...webhookDeliveryRoutes,
];
