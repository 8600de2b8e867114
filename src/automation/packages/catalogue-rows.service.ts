import type { CredentialTypeManifest, NodeManifest, TemplateManifest } from '#src/automation/node-api/manifest.ts';
import { slugNamespace } from '#src/automation/node-api/manifest.ts';
import { versionOrder } from '#src/automation/node-api/version-order.rules.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** Serialises registrations, so that a name that is free when checked is still free when written. */
export const lockCatalogue = (tx: Tx) => lockNamed(tx, 'node-catalogue');

const versioned = ({ slug, version, name }: NodeManifest | CredentialTypeManifest | TemplateManifest) => ({
  slug,
  version,
  versionOrder: versionOrder(version),
  name,
});

export const nodeRow = (packageId: bigint, manifest: NodeManifest, codeHash: string | null) => ({
  ...versioned(manifest),
  packageId,
  namespace: slugNamespace(manifest.slug),
  manifestVersion: manifest.manifest_version,
  manifest: manifest as object,
  codeHash,
});

export const credentialTypeRow = (packageId: bigint, manifest: CredentialTypeManifest, codeHash: string | null) => ({
  ...versioned(manifest),
  packageId,
  description: manifest.description ?? '',
  authKind: manifest.auth_kind,
  manifest: manifest as object,
  codeHash,
});

export const templateRow = (packageId: bigint, manifest: TemplateManifest) => ({
  ...versioned(manifest),
  packageId,
  description: manifest.description ?? '',
  manifest: manifest as object,
});
