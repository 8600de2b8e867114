import { findCredentialType } from '#src/automation/credentials/credential-types.service.ts';
import type { StoredCredential } from '#src/automation/credentials/credentials.store.ts';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { type OAuthClient, readOAuthClient } from './oauth-client.rules.ts';

/** The client of a credential, according to the latest version of its type. Throws like `readOAuthClient`. */
export async function findOAuthClient(
  deps: Deps,
  { typeSlug, config }: Pick<StoredCredential, 'typeSlug' | 'config'>,
): Promise<OAuthClient> {
  const type = await findCredentialType(deps, typeSlug);
  if (!type) throw new NotFoundError(`The credential's type ${typeSlug} is not registered any more.`);
  return readOAuthClient(type.manifest, config);
}
