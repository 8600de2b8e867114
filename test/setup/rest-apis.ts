import type { RestApi } from '#rest/rest-api.ts';
import { apis as bare, withRoutes } from '#rest/rest-apis.ts';
import { domains } from '#src/domains/domains.ts';

/** The REST APIs with the routes of every domain. */
const apis = await withRoutes(bare, domains);

const api = (name: string): RestApi => {
  const found = apis.find((each) => each.name === name);
  if (!found) throw new Error(`There is no API ${name}.`);
  return found;
};

export const serviceApi = api('service');
export const platformApi = api('platform');
export const themeApi = api('theme');
