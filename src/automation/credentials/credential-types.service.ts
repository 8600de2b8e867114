import type { CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';
import { asSlug } from '#src/automation/node-api/slug.rules.ts';
import type { Deps } from '#src/infra/deps.ts';

export interface KnownCredentialType {
  manifest: CredentialTypeManifest;
  /** The bundled code of its test; null when it has none. */
  codeHash: string | null;
}

/** The latest version of a credential type; undefined when it does not exist. */
export async function findCredentialType({ database }: Deps, slug: string): Promise<KnownCredentialType | undefined> {
  const type = await database.global.credentialType.findFirst({
    where: { slug: asSlug(slug) },
    orderBy: [{ versionOrder: 'desc' }, { version: 'desc' }],
    select: { manifest: true, codeHash: true },
  });
  return type ? { manifest: type.manifest as unknown as CredentialTypeManifest, codeHash: type.codeHash } : undefined;
}
