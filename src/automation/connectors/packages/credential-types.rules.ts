import type {
  ApiDescription,
  OAuthFlow,
  SecurityScheme,
} from '#src/automation/connectors/descriptions/api-description.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { isHeaderName } from '#src/automation/http-calls/header-text.ts';
import type { CredentialUse } from '#src/automation/node-api/api-call.ts';
import type { CredentialField, CredentialTypeManifest, OAuthGrantType } from '#src/automation/node-api/manifest.ts';
import { isStorable } from '#src/infra/json.ts';

/** The fields and uses of one security scheme. If a type has several schemes, the keys begin with a prefix. */
interface Part {
  fields: CredentialField[];
  sends: CredentialUse[];
  oauth2?: NonNullable<CredentialTypeManifest['oauth2']>;
}

/** Makes the credential type for schemes that a request needs together; undefined if no credential can satisfy them. */
export function makeCredentialType(
  schemes: readonly string[],
  { title, servers, security }: Pick<ApiDescription, 'title' | 'servers' | 'security'>,
  namespace: string,
): CredentialTypeManifest | undefined {
  const parts: Part[] = [];
  for (const name of schemes) {
    const scheme = Object.hasOwn(security, name) ? security[name] : undefined;
    const part = scheme && describeScheme(scheme, schemes.length > 1 ? `${safeName(name, '_')}_` : '');
    if (!part) return undefined;
    parts.push(part);
  }
  const tokens = parts.filter(({ oauth2 }) => oauth2 !== undefined);
  // A credential can hold the tokens of only one provider.
  if (parts.length === 0 || tokens.length > 1) return undefined;
  const [server] = servers;
  const isFixed = server !== undefined && /^https?:\/\//.test(server.url) && !server.url.includes('{');
  const label = plainText(title, 120) || namespace;
  return {
    slug: `${namespace}:${schemes
      .map((name) => safeName(name, '-'))
      .join('-')
      .slice(0, 60)
      .replace(/-+$/, '')}`,
    version: '1.0.0',
    name: `${label}: ${schemes.join(' + ')}`.slice(0, 191),
    auth_kind: tokens.length > 0 ? 'oauth2' : 'secret',
    ...(tokens[0]?.oauth2 && { oauth2: tokens[0].oauth2 }),
    fields: [
      {
        key: 'base_url',
        type: 'url',
        label: 'Address of the API',
        ...(isFixed ? { default: server.url } : { required: true }),
        help: 'Requests with this credential go to this address only.',
      },
      ...parts.flatMap(({ fields }) => fields),
    ],
    sends: parts.flatMap(({ sends }) => sends),
  };
}

const safeName = (name: string, dash: '-' | '_'): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, dash)
    .replaceAll(/^[^a-z]+|[-_]+$/g, '') || 'key';

/** True if a header, a cookie or a parameter can have the name. */
const isKeyName = ({ in: where, name }: Extract<SecurityScheme, { type: 'api_key' }>): boolean =>
  where === 'header' ? isHeaderName(name) && name.length <= 128 : name !== '' && name.length <= 256 && isStorable(name);

const secret = (key: string, label: string): CredentialField => ({ key, type: 'secret', label, required: true });

function describeScheme(scheme: SecurityScheme, prefix: string): Part | undefined {
  switch (scheme.type) {
    case 'api_key':
      if (!isKeyName(scheme)) return undefined;
      return {
        fields: [secret(`${prefix}key`, `Key (${scheme.name})`.slice(0, 191))],
        sends: [{ as: scheme.in, name: scheme.name, field: `${prefix}key` }],
      };
    case 'basic':
      return {
        fields: [
          { key: `${prefix}username`, type: 'string', label: 'User name', required: true },
          { key: `${prefix}password`, type: 'secret', label: 'Password' },
        ],
        sends: [{ as: 'basic', username: `${prefix}username`, password: `${prefix}password` }],
      };
    case 'username_token':
      return {
        fields: [
          { key: `${prefix}username`, type: 'string', label: 'User name', required: true },
          { key: `${prefix}password`, type: 'secret', label: 'Password' },
        ],
        sends: [{ as: 'username_token', username: `${prefix}username`, password: `${prefix}password` }],
      };
    case 'bearer':
      return { fields: [secret(`${prefix}token`, 'Token')], sends: [{ as: 'bearer', field: `${prefix}token` }] };
    case 'oauth2':
      return describeOAuth(scheme);
    case 'mutual_tls':
      return {
        fields: [
          {
            key: `${prefix}certificate`,
            type: 'text',
            label: 'Client certificate',
            required: true,
            help: 'PEM, with the certificates between it and its authority.',
          },
          { ...secret(`${prefix}certificate_key`, 'Key of the certificate'), help: 'PEM, without a passphrase.' },
          {
            key: `${prefix}ca`,
            type: 'text',
            label: 'Authority of the server',
            help: 'PEM. Empty if a public authority signed the certificate of the server.',
          },
        ],
        sends: [
          {
            as: 'certificate',
            certificate: `${prefix}certificate`,
            key: `${prefix}certificate_key`,
            ca: `${prefix}ca`,
          },
        ],
      };
    case 'openid':
      return discoverProvider(scheme.url);
    default:
      return undefined;
  }
}

/**
 * Chooses the flow that needs no user, else the one in which a user signs in, else the one that sends a user's password. If the description
 * names only the implicit flow, which is obsolete, the user chooses the grant.
 */
function describeOAuth({ flows }: Extract<SecurityScheme, { type: 'oauth2' }>): Part {
  const flow =
    flows.find(({ grant }) => grant === 'client_credentials') ??
    flows.find(({ grant }) => grant === 'authorization_code') ??
    flows.find(({ grant }) => grant === 'password');
  if (!flow) return chooseGrant(flows[0]);
  const grant = flow.grant as OAuthGrantType;
  return {
    oauth2: { grant_type: grant },
    fields: [
      { key: 'client_id', type: 'string', label: 'Client id', required: true },
      // A client that sends a user's password is often known by its id alone.
      { ...secret('client_secret', 'Client secret'), required: grant !== 'password' },
      ...(grant === 'password' ? userFields.map((field) => ({ ...field, required: true })) : []),
      { key: 'scopes', type: 'string', label: 'Scopes', help: listScopes(flow.scopes) },
      urlField('token_url', 'Token URL', flow.tokenUrl),
      ...(grant === 'authorization_code' ? [urlField('authorize_url', 'Authorisation URL', flow.authorizeUrl)] : []),
      clientAuthentication,
    ],
    sends: [{ as: 'bearer' }],
  };
}

const userFields: CredentialField[] = [
  { key: 'username', type: 'string', label: 'User name' },
  { key: 'password', type: 'secret', label: 'Password' },
];

/** The URL in the description is a default only, because a description is often exported from another installation of the API. */
const urlField = (key: string, label: string, described: string | undefined): CredentialField => ({
  key,
  type: 'url',
  label,
  required: true,
  ...(described !== undefined && /^https?:\/\/[^{]+$/.test(described) && { default: described }),
});

const clientAuthentication: CredentialField = {
  key: 'client_authentication',
  type: 'select',
  label: 'Client authentication',
  default: 'basic',
  options: [
    { value: 'basic', label: 'HTTP basic' },
    { value: 'post', label: 'In the form' },
  ],
  help: 'How the client secret reaches the token URL.',
};

const chooseGrant = (obsolete: OAuthFlow | undefined): Part => ({
  oauth2: {},
  fields: [
    grantField('The description names no grant that is still in use.'),
    urlField('token_url', 'Token URL', undefined),
    {
      key: 'authorize_url',
      type: 'url',
      label: 'Authorisation URL',
      help: 'Required if a user authorises the access.',
    },
    ...clientFields(obsolete?.scopes ?? []),
  ],
  sends: [{ as: 'bearer' }],
});

/** The metadata of an OpenID provider names its addresses, but not which grant the API's clients use. */
const discoverProvider = (url: string): Part => ({
  oauth2: {},
  fields: [
    grantField('The description does not say which grant clients use.'),
    {
      ...urlField('discovery_url', 'Discovery URL', url),
      help: 'The address of the OpenID provider, or of its /.well-known/openid-configuration.',
    },
    ...clientFields([]),
  ],
  sends: [{ as: 'bearer' }],
});

const grantField = (help: string): CredentialField => ({
  key: 'grant_type',
  type: 'select',
  label: 'Grant',
  default: 'client_credentials',
  options: [
    { value: 'client_credentials', label: 'Client credentials' },
    { value: 'authorization_code', label: 'Authorisation by a user' },
    { value: 'password', label: 'User name and password' },
  ],
  help,
});

const clientFields = (scopes: readonly string[]): CredentialField[] => [
  { key: 'client_id', type: 'string', label: 'Client id', required: true },
  secret('client_secret', 'Client secret'),
  ...userFields.map((field) => ({ ...field, help: 'For the grant by user name and password.' })),
  { key: 'scopes', type: 'string', label: 'Scopes', help: listScopes(scopes) },
  clientAuthentication,
];

const listScopes = (scopes: readonly string[]): string =>
  scopes.length === 0
    ? 'Separated by spaces; empty where the API has none.'
    : plainText(`Separated by spaces, of: ${scopes.join(' ')}`, 1_000);
