import { runRoutes } from './automation/runs.routes.ts';
import { triggerRoutes } from './automation/triggers.routes.ts';
import { workflowRoutes } from './automation/workflows.routes.ts';
import { meRoutes } from './identity/me.routes.ts';
import { orgRoutes } from './identity/orgs.routes.ts';
import type { Route } from './route.ts';

/** Every route of the REST face. */
export const routes: Route[] = [...meRoutes, ...orgRoutes, ...workflowRoutes, ...triggerRoutes, ...runRoutes];
