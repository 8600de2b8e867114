import { blockRoutes } from './blocks.routes.ts';

export const themesRoutes = [...blockRoutes];
