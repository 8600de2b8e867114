import type { Route } from '#rest/route.ts';
import { auditLogRoutes } from './audit-logs.routes.ts';

export const journalRoutes: Route[] = [...auditLogRoutes];
