import { blockRoutes } from './blocks.routes.ts';
import { islandRoutes } from './islands.bytes.ts';

export const themesRoutes = [...blockRoutes, ...islandRoutes];
