import type { CredentialType } from '#prisma/client.ts';
import type { CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';
import { asSlug } from '#src/automation/node-api/slug.rules.ts';
import type { Deps } from '#src/infra/deps.ts';

export interface KnownCredentialType {
  manifest: CredentialTypeManifest;
  /** The bundled code of its test; null when it has none. */
  codeHash: string | null;
}

/** The latest version of a credential type; undefined when it does not exist. */
export async function findCredentialType(deps: Deps, slug: string): Promise<KnownCredentialType | undefined> {
  const type = await readCredentialType(deps, slug, { select: { manifest: true, codeHash: true } });
  return type ? { manifest: type.manifest as unknown as CredentialTypeManifest, codeHash: type.codeHash } : undefined;
}

/** The same as its row; `query` says what of it is read. */
export const readCredentialType = ({ database }: Deps, slug: string, query: object): Promise<CredentialType | null> =>
  database.global.credentialType.findFirst({
    ...query,
    where: { slug: asSlug(slug) },
    orderBy: [{ versionOrder: 'desc' }, { version: 'desc' }],
  });
