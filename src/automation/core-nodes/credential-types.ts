import type { CredentialField, CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';

const field = (
  key: string,
  type: CredentialField['type'],
  label: string,
  more: Omit<CredentialField, 'key' | 'type' | 'label'> = {},
): CredentialField => ({ key, type, label, ...more });

const required = { required: true } as const;

const testUrl = field('test_url', 'url', 'Test URL', {
  help: 'Called by the connection test; any answer below 400 passes.',
});

const headerName = { ...required, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$" } as const;

const type = (
  name: string,
  auth_kind: CredentialTypeManifest['auth_kind'],
  title: string,
  description: string,
  fields: CredentialField[],
): CredentialTypeManifest => ({
  slug: `core:${name}`,
  version: '1.0.0',
  name: title,
  description,
  auth_kind,
  fields: [...fields, testUrl],
});

/** The credential types of package `core`; `core:http-request` takes any of them. */
export const coreCredentialTypes: readonly CredentialTypeManifest[] = [
  type('bearer', 'secret', 'Bearer token', 'Sends `Authorization: Bearer <token>`.', [
    field('token', 'secret', 'Token', required),
  ]),
  type('basic', 'secret', 'User and password', 'Sends HTTP basic authentication.', [
    field('username', 'string', 'User', required),
    field('password', 'secret', 'Password', required),
  ]),
  type('api-key', 'secret', 'API key', 'Sends a key in a header of its own.', [
    field('header', 'string', 'Header', headerName),
    field('value', 'secret', 'Key', required),
  ]),
  type(
    'oauth2',
    'oauth2',
    'OAuth 2',
    'Connects by a user who grants access, or by client credentials, and keeps the access token fresh.',
    [
      field('grant_type', 'select', 'Grant', {
        help: 'Who is granted access: a user who authorises it (the default), or the client itself, which needs nobody.',
        options: [
          { value: 'authorization_code', label: 'Authorisation by a user' },
          { value: 'client_credentials', label: 'Client credentials' },
        ],
      }),
      field('authorize_url', 'url', 'Authorisation URL', { help: 'Required, except for client credentials.' }),
      field('token_url', 'url', 'Token URL', required),
      field('client_id', 'string', 'Client id', required),
      field('client_secret', 'secret', 'Client secret', required),
      field('scopes', 'string', 'Scopes', { help: 'Separated by spaces.' }),
      field('audience', 'string', 'Audience', {
        help: 'For client credentials: the `audience` that some providers ask for.',
      }),
      field('resource', 'string', 'Resource', {
        help: 'For client credentials: the `resource` that some providers ask for.',
      }),
      field('issuer', 'url', 'Issuer', {
        help: 'What the provider calls itself; answers of any other are refused. Without it, one of another host is.',
      }),
      field('client_authentication', 'select', 'Client authentication', {
        help: 'How the secret reaches the token URL: `basic` unless the provider asks for it in the form.',
        options: [
          { value: 'basic', label: 'HTTP basic' },
          { value: 'post', label: 'In the form' },
        ],
      }),
    ],
  ),
];
