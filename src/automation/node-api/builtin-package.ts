import type { NodePorts } from '#src/automation/node-api/ports.ts';
import type { BuiltinNode } from './builtin-node.ts';
import { listCredentialFields, type CredentialRefField } from './credential-fields.rules.ts';
import { findListFields } from './list-fields.ts';
import type { CredentialTypeManifest, NodeManifest, TemplateManifest } from './manifest.ts';

/**
 * Logs in to the server of a credential, which is the only one that the ports open, and changes nothing. Resolves with a sentence about the
 * server. Rejects with a NodeError that says what to correct.
 */
export type CredentialTest = (ctx: {
  ports: Pick<NodePorts, 'credentials' | 'http' | 'sockets'>;
  signal: AbortSignal;
}) => Promise<string>;

/**
 * A package of nodes that comes with the product: described as every package is, and implemented by code that the worker
 * runs itself. A domain hands its packages in at the start.
 */
export interface BuiltinPackage {
  /** The namespace of its slugs. */
  name: string;
  version: string;
  label: string;
  manifests: readonly NodeManifest[];
  credentialTypes: readonly CredentialTypeManifest[];
  /** The tests of types that log in to a server, by slug. */
  credentialTests?: Readonly<Record<string, CredentialTest>>;
  /** Workflows to begin with; none by default. */
  templates?: readonly TemplateManifest[];
  nodes: readonly BuiltinNode[];
}

/** The owner of the product's own packages; no organisation can have an empty id. */
export const productOrgId = '';

/** The nodes of all built-in packages, by slug. */
export interface BuiltinNodes {
  packages: readonly BuiltinPackage[];
  find(slug: string): BuiltinNode | undefined;
  /** The test of a credential type that logs in to a server. */
  credentialTest(slug: string): CredentialTest | undefined;
  /** The config fields of a built-in node that refer to credentials. */
  credentialFields(slug: string): readonly CredentialRefField[];
  /** Keys of the config fields of a built-in node that hold lists. */
  listFields(slug: string): readonly string[];
}

/** Throws if a package's manifests and implementations are not the same nodes, or a slug is not the package's own. */
export function openBuiltins(packages: readonly BuiltinPackage[]): BuiltinNodes {
  for (const { name, manifests, nodes } of packages) {
    const described = new Set(manifests.map(({ slug }) => slug));
    const implemented = new Set(nodes.map(({ slug }) => slug));
    const alone = [...described, ...implemented].filter((slug) => !described.has(slug) || !implemented.has(slug));
    if (alone.length > 0) throw new Error(`Package ${name}: ${alone.join(', ')} lacks its manifest or its code.`);
    const foreign = [...implemented].filter((slug) => !slug.startsWith(`${name}:`));
    if (foreign.length > 0) throw new Error(`Package ${name}: ${foreign.join(', ')} must begin with "${name}:".`);
  }
  const tests = new Map(packages.flatMap(({ credentialTests = {} }) => Object.entries(credentialTests)));
  const bySlug = new Map(packages.flatMap(({ nodes }) => nodes.map((node) => [node.slug, node])));
  const fields = new Map(
    packages.flatMap(({ manifests }) => manifests.map(({ slug, config }) => [slug, listCredentialFields(config)])),
  );
  const lists = new Map(
    packages.flatMap(({ manifests }) => manifests.map(({ slug, config }) => [slug, findListFields(config)])),
  );
  return {
    packages,
    find: (slug) => bySlug.get(slug),
    credentialTest: (slug) => tests.get(slug),
    credentialFields: (slug) => fields.get(slug) ?? [],
    listFields: (slug) => lists.get(slug) ?? [],
  };
}
