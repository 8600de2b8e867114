import type { Face } from '#rest/face.ts';
import { faces as bare, withRoutes } from '#rest/faces.ts';
import { domains } from '#src/domains/domains.ts';

/** The REST APIs with the routes of every domain. */
const faces = await withRoutes(bare, domains);

const face = (name: string): Face => {
  const found = faces.find((each) => each.name === name);
  if (!found) throw new Error(`There is no face ${name}.`);
  return found;
};

export const serviceFace = face('service');
export const platformFace = face('platform');
export const themeFace = face('theme');
