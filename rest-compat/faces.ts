import type { Face } from './face.ts';
import { extensionAssetsFace } from './faces/extension-assets.ts';
import { inboundFace } from './faces/inbound.ts';
import { platformFace } from './faces/platform.ts';
import { serviceFace } from './faces/service.ts';
import { themeFace } from './faces/theme.ts';
import type { RouteSource } from './route.ts';

/** Every REST face of the API, without the routes that the domains add. */
export const faces: readonly Face[] = [serviceFace, platformFace, inboundFace, themeFace, extensionAssetsFace];

/** The faces with the routes of the domains. Throws where a domain names a face that is not among them. */
export async function withRoutes(bare: readonly Face[], domains: readonly RouteSource[]): Promise<Face[]> {
  const added = await Promise.all(domains.map(async ({ routes }) => (await routes?.()) ?? {}));
  const unknown = added.flatMap(Object.keys).find((name) => !bare.some((face) => face.name === name));
  if (unknown !== undefined) throw new Error(`A domain adds routes to the face ${unknown}, which does not exist.`);
  return bare.map((face) => ({ ...face, routes: [...face.routes, ...added.flatMap((of) => of[face.name] ?? [])] }));
}
