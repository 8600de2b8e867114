import { withRoutes } from '#rest/faces.ts';
import { serviceFace as bare } from '#rest/faces/service.ts';
import { domains } from '#src/domains/domains.ts';

/** The service API with the routes of every domain. */
export const serviceFace = (await withRoutes([bare], domains))[0] as typeof bare;
