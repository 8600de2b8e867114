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

const memberPath = { type: 'string', minLength: 1, maxLength: 256, description: 'Names joined by dots.' } as const;

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
      enum: ['secret', 'oauth2', 'session'],
      description:
        'secret: the fields are all there is. oauth2: tokens of an OAuth provider, after a 3-legged authorisation, by client credentials, or by the name and password of a user. session: the platform signs in and sends the token of the answer.',
    },
    oauth2: {
      type: 'object',
      additionalProperties: false,
      description: 'Fixed endpoints; where one is missing, the field with its name supplies it.',
      properties: {
        grant_type: {
          enum: ['authorization_code', 'client_credentials', 'password'],
          description:
            'authorization_code, the default: a user grants access. client_credentials: the client suffices. password: the client sends the fields "username" and "password".',
        },
        discovery_url: {
          ...endpoint,
          description: 'The issuer, or its metadata of OpenID Connect, which says the addresses that are missing.',
        },
        authorize_url: endpoint,
        token_url: endpoint,
        issuer: { ...endpoint, description: 'What the provider calls itself in its answers (RFC 9207).' },
        scopes: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 200 } },
      },
    },
    session: {
      type: 'object',
      additionalProperties: false,
      description: 'Fixed settings of the sign-in; where one is missing, the field with its name supplies it.',
      properties: {
        login_url: endpoint,
        login_as: {
          enum: ['json', 'form', 'basic'],
          default: 'json',
          description: 'How the user name and the password are sent.',
        },
        username_member: { ...memberPath, default: 'username' },
        password_member: { ...memberPath, default: 'password' },
        token_in: { enum: ['body', 'header', 'cookie'], default: 'body' },
        token_name: {
          ...memberPath,
          description:
            'The name of the header or cookie, or the path of the member. Without it, the body is the token.',
        },
        lifetime_s: {
          type: 'integer',
          minimum: 1,
          description: 'Seconds that a token lasts. Without it, a token is used until the API refuses it.',
        },
      },
    },
    fields: { type: 'array', maxItems: 50, items: credentialField },
    sends,
    entry: { ...path, description: 'Path of a module exporting test(ctx).' },
  },
  allOf: ['oauth2', 'session'].map((kind) => ({
    if: { not: { properties: { auth_kind: { const: kind } } } },
    then: { properties: { [kind]: false } },
  })),
} as const;
