import { extensionAssetsApi } from './apis/extension-assets.ts';
import { inboundApi } from './apis/inbound.ts';
import { platformApi } from './apis/platform.ts';
import { serviceApi } from './apis/service.ts';
import { themeApi } from './apis/theme.ts';
import type { RestApi } from './rest-api.ts';
import type { RouteSource } from './route.ts';

/** Every REST API, without the routes that the domains add. */
export const apis: readonly RestApi[] = [serviceApi, platformApi, inboundApi, themeApi, extensionAssetsApi];

/** The APIs with the routes of the domains. Throws if a domain names an unknown API. */
export async function withRoutes(bare: readonly RestApi[], domains: readonly RouteSource[]): Promise<RestApi[]> {
  const added = await Promise.all(domains.map(async ({ routes }) => (await routes?.()) ?? {}));
  const unknown = added.flatMap(Object.keys).find((name) => !bare.some((api) => api.name === name));
  if (unknown !== undefined) throw new Error(`A domain adds routes to the API ${unknown}, which does not exist.`);
  return bare.map((api) => ({ ...api, routes: [...api.routes, ...added.flatMap((of) => of[api.name] ?? [])] }));
}
