import { data } from '#rest/replies.ts';
import { type Route, route } from '#rest/route.ts';

export const demoShopRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/demo-orders',
    name: 'listDemoOrders',
    tag: { name: 'Demo shop', description: 'Orders of a demo shop.' },
    summary: 'The orders of the tenant.',
    document: 'query { demoOrders { number total } }',
    reply: data(),
  }),
];
