import { findCredentialType } from '#src/automation/credentials/credential-types.service.ts';
import type { StoredCredential } from '#src/automation/credentials/credentials.store.ts';
import { readSessionLogin, type SessionLogin } from '#src/automation/credentials/sessions/session-login.rules.ts';
import { requestSession } from '#src/automation/credentials/sessions/session-login.service.ts';
import type { TokenOutcome } from '#src/automation/credentials/token-outcome.rules.ts';
import type { CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { type OAuthClient, readOAuthClient } from './oauth-client.rules.ts';

/** How a credential gets its tokens. */
export type TokenSource = OAuthClient | SessionLogin;

/** Reads the token source from a config and its type. Throws UNPROCESSABLE if something is missing. */
export const readTokenSource = (manifest: CredentialTypeManifest, config: object): TokenSource =>
  manifest.auth_kind === 'session' ? readSessionLogin(manifest, config) : readOAuthClient(manifest, config);

const findManifest = async (deps: Deps, { typeSlug }: Pick<StoredCredential, 'typeSlug'>) => {
  const type = await findCredentialType(deps, typeSlug);
  if (!type) throw new NotFoundError(`The credential's type ${typeSlug} is not registered any more.`);
  return type.manifest;
};

type Stored = Pick<StoredCredential, 'typeSlug' | 'config'>;

/** The OAuth client of a credential, according to the latest version of its type. Throws like `readOAuthClient`. */
export const findOAuthClient = async (deps: Deps, stored: Stored): Promise<OAuthClient> =>
  readOAuthClient(await findManifest(deps, stored), stored.config);

/** The token source of any credential that gets tokens, by the latest version of its type. Throws like `readTokenSource`. */
export const findTokenSource = async (deps: Deps, stored: Stored): Promise<TokenSource> =>
  readTokenSource(await findManifest(deps, stored), stored.config);

/** Requests an access token from a source that needs no authorisation by a user. */
export async function requestOwnToken(deps: Pick<Deps, 'egress'>, source: TokenSource): Promise<TokenOutcome> {
  if (source.grantType === 'session') return requestSession(deps, source);
  // openid-client is imported with the first request.
  const { requestClientToken, requestUserToken } = await import('./token-requests.service.ts');
  return source.grantType === 'password' ? requestUserToken(deps, source) : requestClientToken(deps, source);
}
