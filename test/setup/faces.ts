import { withRoutes } from '#rest/faces.ts';
import { inboundFace as bareInbound } from '#rest/faces/inbound.ts';
import { platformFace as barePlatform } from '#rest/faces/platform.ts';
import { serviceFace as bareService } from '#rest/faces/service.ts';
import { domains } from '#src/domains/domains.ts';

/** The REST APIs with the routes of every domain. */
export const [serviceFace, platformFace] = (await withRoutes([bareService, barePlatform, bareInbound], domains)) as [
  typeof bareService,
  typeof barePlatform,
  typeof bareInbound,
];
