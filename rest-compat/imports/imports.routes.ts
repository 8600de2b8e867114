import type { Route } from '#rest/route.ts';
import { bulkJobRoutes } from './bulk-jobs.routes.ts';
import { importFileRoutes } from './files.bytes.ts';
import { importProfileRoutes } from './profiles.routes.ts';
import { uploadRoutes } from './uploads.routes.ts';

export const importsRoutes: Route[] = [...uploadRoutes, ...importProfileRoutes, ...bulkJobRoutes, ...importFileRoutes];
