import type { RestApi } from '#rest/rest-api.ts';
import { tenantHeader } from '#src/identity/bearer.ts';
import { rateBudget } from '#src/identity/caller.ts';
import { pageNumbers } from './page-numbers.ts';

const needs: Record<string, string> = {
  authenticated: 'Needs a token.',
  tester: 'Needs a role: `user`, `admin` or `operator`.',
  member: 'Needs role `user` or `admin` in the tenant.',
  admin: 'Needs role `admin` in the tenant.',
  operator: 'Needs role `operator`.',
};

const message = { type: 'string' };
const hint = {
  type: 'string',
  description: 'With 401 and 403: what the request lacks. With 404: the path that may be meant.',
};

/** The service API: bearer tokens, `{message}` errors, numbered pages. */
export const serviceApi: RestApi = {
  name: 'service',
  // Routes of its admin audience have a second prefix; the rest of /v1 belongs to another API.
  mounts: [{ prefix: '/api/v1' }, { prefix: '/v1', below: '/admin' }],
  credentials: {
    open: ({ identities }) => identities.bearer,
    challenge: 'Bearer',
    schemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    describe: (scope) => needs[scope] ?? `Needs scope \`${scope}\`.`,
  },
  tenantHeader: {
    name: tenantHeader,
    description:
      "The tenant the request acts in. Where `LEGACY_TENANT_CLAIM` is on, a token's tenant claim stands in for it.",
    goesWith: (scope) => !['authenticated', 'tester', 'operator'].includes(scope),
  },
  errors: {
    body: ({ message: text, hint, fields }) => ({
      message: text,
      ...(hint && { hint }),
      ...(fields && { errors: fields }),
    }),
    schema: { type: 'object', properties: { message, hint }, required: ['message'] },
    validationSchema: {
      type: 'object',
      properties: {
        message,
        errors: {
          type: 'object',
          description: 'Messages per field, keyed by dotted path.',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
      },
      required: ['message'],
    },
  },
  paging: pageNumbers,
  rateBudget,
  openApi: {
    info: {
      title: 'Causeway service API',
      version: '1.0.0',
      description: 'The same use cases as the GraphQL API at /graphql, under the names REST clients know.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    scopes: null,
  },
  // The domains add theirs.
  routes: [],
};
