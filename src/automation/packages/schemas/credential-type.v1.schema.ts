import { dialect, version } from '#src/infra/json-schema/fragments.ts';
import { sends } from './call-parts.ts';
import { credentialField, description, images, name, path, slug } from './schema-parts.ts';

const endpoint = {
  type: 'string',
  maxLength: 2048,
  format: 'uri',
  pattern: '^https?://',
  examples: ['https://erp.example/oauth/token'],
} as const;

/** `credential-type/v1`: the form for a credential, and how it authenticates. */
export const credentialTypeV1Schema = {
  $schema: dialect,
  $id: '/api/v1/schemas/credential-type/v1',
  title: 'Credential type',
  type: 'object',
  additionalProperties: false,
  required: ['slug', 'version', 'name', 'auth_kind', 'fields'],
  properties: {
    $schema: { type: 'string', maxLength: 500 },
    slug,
    version,
    name,
    description,
    icon: { ...path, description: 'Path of an image in the package.' },
    images,
    auth_kind: {
      enum: ['secret', 'oauth2'],
      description:
        'secret: the fields are all there is. oauth2: tokens of an OAuth provider, after a 3-legged authorisation or by client credentials.',
    },
    oauth2: {
      type: 'object',
      additionalProperties: false,
      description: 'Fixed endpoints; where one is missing, the field with its name supplies it.',
      properties: {
        grant_type: {
          enum: ['authorization_code', 'client_credentials'],
          description:
            'authorization_code, the default: a user grants access. client_credentials: the client suffices.',
        },
        authorize_url: endpoint,
        token_url: endpoint,
        issuer: { ...endpoint, description: 'What the provider calls itself in its answers (RFC 9207).' },
        scopes: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 200 } },
      },
    },
    fields: { type: 'array', maxItems: 50, items: credentialField },
    sends,
    entry: { ...path, description: 'Path of a module exporting test(ctx).' },
  },
  if: { not: { properties: { auth_kind: { const: 'oauth2' } } } },
  then: { properties: { oauth2: false } },
} as const;
