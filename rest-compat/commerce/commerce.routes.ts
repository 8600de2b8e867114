import type { Route } from '#rest/route.ts';
import { customerRoutes } from './customers.routes.ts';
import { productRoutes } from './products.routes.ts';

export const commerceRoutes: Route[] = [...productRoutes, ...customerRoutes];
