import { objectSchema } from '#rest/replies.ts';
import type { RestApi } from '#rest/rest-api.ts';
import { rateBudget, keyHeader, keyTenantHeader } from '#src/identity/caller.ts';
import { offsetEnvelope } from './offset-envelope.ts';

const text = { type: 'string' };
const hint = {
  type: 'string',
  description: 'With 401 and 403: what the request lacks. With 404: the path that may be meant.',
};
const messages = { type: 'array', items: text };

/** The platform API: API keys with scopes, `{message, code, errors?}`, lists by limit and offset. */
export const platformApi: RestApi = {
  name: 'platform',
  mounts: [{ prefix: '/v1' }],
  credentials: {
    open: ({ identities }) => identities.apiKey,
    schemes: {
      apiKey: { type: 'apiKey', in: 'header', name: keyHeader, description: 'A key that was made for the tenant.' },
      tenant: { type: 'apiKey', in: 'header', name: keyTenantHeader, description: 'The tenant of the key.' },
    },
    describe: (scope) => {
      const name = scope.split(' or ').at(-1);
      return name?.includes(':') ? `Needs a key with scope \`${name}\`.` : 'Needs a key of the tenant.';
    },
  },
  tenantHeader: {
    name: keyTenantHeader,
    description: 'The tenant of the key.',
    // The tenant header is one of the security schemes.
    goesWith: () => false,
  },
  errors: {
    body: ({ message, code, hint, fields }) => ({
      message,
      code,
      ...(hint && { hint }),
      ...(fields && { errors: fields }),
    }),
    schema: { ...objectSchema({ message: text, code: text }), properties: { message: text, code: text, hint } },
    validationSchema: objectSchema({
      message: text,
      code: text,
      errors: {
        type: 'object',
        description: 'Messages per field, keyed by dotted path.',
        additionalProperties: messages,
      },
    }),
  },
  paging: offsetEnvelope,
  rateBudget,
  openApi: {
    info: {
      title: 'Causeway platform API',
      version: '1.0.0',
      description: 'Orders, stock, prices, customers and products, for systems that integrate with a shop.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    scopes: { identified: true },
    webhooks: true,
    describesItself: true,
  },
  // The domains add theirs.
  routes: [],
};
