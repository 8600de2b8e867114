import {
  readText,
  readUrl,
  required,
  type Values,
  withoutBlanks,
} from '#src/automation/credentials/connection-values.rules.ts';
import type { CredentialTypeManifest, GrantType, OAuthGrantType } from '#src/automation/node-api/manifest.ts';
import { AppError } from '#src/infra/errors.ts';

/** Our client registration with a provider, and the provider's endpoints. */
export interface OAuthClient {
  grantType: OAuthGrantType;
  /** Where the provider's metadata names its addresses; null if the config has them. */
  discoveryUrl: string | null;
  /** Where users authorise it; null if nobody has to, and before discovery. */
  authorizeUrl: string | null;
  /** Null before discovery. */
  tokenUrl: string | null;
  /** The provider's issuer identifier; null when not configured. */
  issuer: string | null;
  clientId: string;
  /** Null for a public client, which only PKCE protects. */
  clientSecret: string | null;
  /** Separated by spaces; '' asks for the provider's defaults. */
  scopes: string;
  /** How the secret is sent: with HTTP basic authentication or in the form. */
  clientAuthentication: 'basic' | 'post';
  /** The user whose name and password the client sends; null for the other grants. */
  user: { name: string; password: string } | null;
  /** Sent with a request by client credentials if the provider asks for them. */
  audience: string | null;
  resource: string | null;
}

/** A client whose addresses are known. */
export type ResolvedClient = OAuthClient & { tokenUrl: string };

type Manifest = Pick<CredentialTypeManifest, 'auth_kind' | 'oauth2'>;

/**
 * The client that a credential's config describes; the type supplies what the config leaves out. Throws UNPROCESSABLE when
 * the type has no authorisation, or names the missing field.
 */
export function readOAuthClient({ auth_kind: kind, oauth2 = {} }: Manifest, config: object): OAuthClient {
  if (kind !== 'oauth2') throw new AppError('UNPROCESSABLE', 'Credential type does not use 3-legged OAuth.');
  const given: Values = { ...oauth2, ...withoutBlanks(config) };
  const grantType = readOAuthGrant(given);
  const discoveryUrl = given['discovery_url'] === undefined ? null : readUrl(given, 'discovery_url');
  const address = (key: string) => (discoveryUrl !== null && given[key] === undefined ? null : readUrl(given, key));
  return {
    grantType,
    discoveryUrl,
    authorizeUrl: grantType === 'authorization_code' ? address('authorize_url') : null,
    tokenUrl: address('token_url'),
    issuer: readText(given, 'issuer') ?? null,
    clientId: required(given, 'client_id'),
    clientSecret: readText(given, 'client_secret') ?? null,
    scopes: readScopes(given['scopes']),
    clientAuthentication: given['client_authentication'] === 'post' ? 'post' : 'basic',
    user:
      grantType === 'password' ? { name: required(given, 'username'), password: required(given, 'password') } : null,
    audience: readText(given, 'audience') ?? null,
    resource: readText(given, 'resource') ?? null,
  };
}

/** How a credential with this config gets its tokens. */
export function readGrantType({ auth_kind: kind, oauth2 = {} }: Manifest, config: object): GrantType | undefined {
  if (kind === 'session') return 'session';
  return kind === 'oauth2' ? readOAuthGrant({ ...oauth2, ...withoutBlanks(config) }) : undefined;
}

function readOAuthGrant({ grant_type: given }: Values): OAuthGrantType {
  return given === 'client_credentials' || given === 'password' ? given : 'authorization_code';
}

/** The client as one that users authorise. Throws UNPROCESSABLE for one that needs no user. */
export function requireAuthorized<Client extends OAuthClient>(client: Client): Client & { authorizeUrl: string } {
  const { authorizeUrl } = client;
  if (authorizeUrl !== null) return { ...client, authorizeUrl };
  throw new AppError(
    'UNPROCESSABLE',
    'The credential gets its tokens by itself (by client credentials, a user name and password, or a session), so nobody has to authorise it.',
  );
}

/** Identifies the client of an authorisation: if it changed in between, the code belongs to another client. */
export const sameClient = (client: OAuthClient): string =>
  JSON.stringify([client.discoveryUrl, client.authorizeUrl, client.tokenUrl, client.issuer, client.clientId]);

/**
 * The issuer that a response must come from. A provider that names itself (RFC 9207) must be the configured issuer or, when
 * none is configured, be on the host of the authorize URL. Undefined when it is neither.
 */
export function issuerFor(
  { issuer, authorizeUrl, tokenUrl }: Pick<ResolvedClient, 'issuer' | 'authorizeUrl' | 'tokenUrl'>,
  named: string | null,
): string | undefined {
  const { origin } = new URL(authorizeUrl ?? tokenUrl);
  if (named === null) return issuer ?? origin;
  if (issuer !== null) return named === issuer ? issuer : undefined;
  return URL.parse(named)?.origin === origin ? named : undefined;
}

const readScopes = (value: unknown): string => {
  const scopes = Array.isArray(value) ? value.filter((scope) => typeof scope === 'string').join(' ') : value;
  return typeof scopes === 'string' ? scopes.trim() : '';
};
