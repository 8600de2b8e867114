import type { Route } from '#rest/route.ts';
import { productRoutes } from './products.routes.ts';

export const commerceRoutes: Route[] = [...productRoutes];
