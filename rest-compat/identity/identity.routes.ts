import type { Route } from '#rest/route.ts';
import { meRoutes } from './me.routes.ts';
import { orgRoutes } from './orgs.routes.ts';

export const identityRoutes: Route[] = [...meRoutes, ...orgRoutes];
