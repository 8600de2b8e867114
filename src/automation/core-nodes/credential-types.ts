import type { CredentialField, CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';
import { field, oauthClientFields, required } from './credential-parts.ts';
import { imapCredentialTypes } from './mailboxes/manifests.ts';
import { remoteFileCredentialTypes } from './remote-files/credential-types.ts';
import { smtpCredentialType } from './send-mail/manifests.ts';

const testUrl = field('test_url', 'url', 'Test URL', {
  help: 'Called by the connection test; any answer below 400 passes.',
});

/** For nodes that are made from the description of an API. */
const baseUrl = field('base_url', 'url', 'Address of the API', {
  help: 'For nodes made from the description of an API: their requests with this credential go to this address only.',
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
  fields,
});

const database = (name: string, title: string, port: number): CredentialTypeManifest =>
  type(name, 'secret', title, `Logs in to ${title}, for \`core:sql\`.`, [
    field('host', 'string', 'Host', required),
    field('port', 'number', 'Port', { default: port }),
    field('database', 'string', 'Database', required),
    field('username', 'string', 'User', required),
    field('password', 'secret', 'Password', required),
    field('tls', 'select', 'TLS', {
      default: 'verify',
      help: "verify encrypts the connection and checks the server's certificate. off sends everything, also the password, unencrypted.",
      options: [{ value: 'verify' }, { value: 'off' }],
    }),
    field('ca', 'text', 'Certificate authority', {
      help: "The certificate in PEM by which the server's is checked, if no public authority has issued that.",
    }),
  ]);

/** The credential types of package `core`. */
export const coreCredentialTypes: readonly CredentialTypeManifest[] = [
  type('bearer', 'secret', 'Bearer token', 'Sends `Authorization: Bearer <token>`.', [
    field('token', 'secret', 'Token', required),
    testUrl,
  ]),
  type('basic', 'secret', 'User and password', 'Sends HTTP basic authentication.', [
    field('username', 'string', 'User', required),
    field('password', 'secret', 'Password', required),
    testUrl,
  ]),
  type('api-key', 'secret', 'API key', 'Sends a key in a header of its own.', [
    field('header', 'string', 'Header', headerName),
    field('value', 'secret', 'Key', required),
    baseUrl,
    testUrl,
  ]),
  type(
    'oauth2',
    'oauth2',
    'OAuth 2',
    'Connects by a user who grants access, by client credentials or by a user name and password, and keeps the access token fresh.',
    [
      field('grant_type', 'select', 'Grant', {
        help: 'Who is granted access: a user who authorises it (the default), the client itself, or the user whose name and password it sends.',
        options: [
          { value: 'authorization_code', label: 'Authorisation by a user' },
          { value: 'client_credentials', label: 'Client credentials' },
          { value: 'password', label: 'User name and password' },
        ],
      }),
      ...oauthClientFields,
      field('username', 'string', 'User name', { help: 'For the grant by user name and password.' }),
      field('password', 'secret', 'Password', { help: 'For the grant by user name and password.' }),
      field('audience', 'string', 'Audience', {
        help: 'For client credentials: the `audience` that some providers ask for.',
      }),
      field('resource', 'string', 'Resource', {
        help: 'For client credentials: the `resource` that some providers ask for.',
      }),
      field('issuer', 'url', 'Issuer', {
        help: 'What the provider calls itself; answers of any other are refused. Without it, one of another host is.',
      }),
      baseUrl,
      field('client_authentication', 'select', 'Client authentication', {
        help: 'How the secret reaches the token URL: `basic` unless the provider asks for it in the form.',
        options: [
          { value: 'basic', label: 'HTTP basic' },
          { value: 'post', label: 'In the form' },
        ],
      }),
      testUrl,
    ],
  ),
  type(
    'session',
    'session',
    'Session',
    'Signs in with a user name and a password, and sends the session token of the answer.',
    [
      field('login_url', 'url', 'Sign-in URL', { ...required, help: 'The platform sends it a POST.' }),
      field('username', 'string', 'User name', required),
      field('password', 'secret', 'Password', required),
      field('login_as', 'select', 'Send them as', {
        default: 'json',
        options: [
          { value: 'json', label: 'Members of a JSON body' },
          { value: 'form', label: 'Form' },
          { value: 'basic', label: 'HTTP basic' },
        ],
      }),
      field('username_member', 'string', 'Member for the user name', {
        help: 'Names joined by dots: `params.login`. Default: `username`.',
      }),
      field('password_member', 'string', 'Member for the password', { help: 'Default: `password`.' }),
      field('login_body', 'json', 'Other members of the body', { help: 'A JSON object that is always sent.' }),
      field('token_in', 'select', 'The token is in', {
        default: 'body',
        options: [
          { value: 'body', label: 'The body of the answer' },
          { value: 'header', label: 'A header of the answer' },
          { value: 'cookie', label: 'A cookie of the answer' },
        ],
      }),
      field('token_name', 'string', 'Name of the token', {
        help: 'The name of the header or cookie, or the member of the body: `data.token`. Empty if the whole body is the token.',
      }),
      field('header', 'string', 'Header to send', {
        ...headerName,
        default: 'authorization',
        help: 'The header of each request that carries the token.',
      }),
      field('prefix', 'string', 'Before the token', {
        help: 'For example `Bearer `, or `session_id=` in the header Cookie.',
      }),
      baseUrl,
      field('lifetime_s', 'number', 'Lifetime', {
        help: 'Seconds. If it is empty, a token is used until the API refuses it with 401.',
      }),
      testUrl,
    ],
  ),
  type(
    'client-certificate',
    'secret',
    'Client certificate',
    'Identifies the connection by a certificate (mutual TLS).',
    [
      field('certificate', 'text', 'Certificate', {
        ...required,
        help: 'PEM, with the certificates between it and its authority.',
      }),
      field('certificate_key', 'secret', 'Key', { ...required, help: 'PEM, without a passphrase.' }),
      field('ca', 'text', 'Authority of the server', {
        help: 'PEM. Empty if a public authority signed the certificate of the server.',
      }),
      testUrl,
    ],
  ),
  database('postgres', 'Postgres', 5432),
  database('mysql', 'MySQL or MariaDB', 3306),
  ...remoteFileCredentialTypes,
  smtpCredentialType,
  ...imapCredentialTypes,
];
