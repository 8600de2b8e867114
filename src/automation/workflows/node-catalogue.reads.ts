import semver from 'semver';
import { type LoadedCatalogue, nodeSlugs } from '#src/automation/blob/blob-nodes.rules.ts';
import type { WorkflowGraph } from '#src/automation/blob/blob.inputs.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';

export type CatalogueDeps = Pick<NodeDeps, 'database' | 'builtins'>;

interface Entry {
  id: bigint;
  manifest: NodeManifest;
  codeHash: string | null;
}

/** Loads everything that a graph's checks and build need from the catalogue, in one query. */
export async function loadCatalogue(
  { database, builtins }: CatalogueDeps,
  graph: WorkflowGraph,
): Promise<LoadedCatalogue> {
  const slugs = nodeSlugs(graph);
  const rows = await database.global.node.findMany({
    where: { slug: { in: slugs } },
    select: { id: true, slug: true, version: true, codeHash: true, manifest: true },
  });
  const entries = new Map<string, Map<string, Entry>>();
  for (const { id, slug, version, codeHash, manifest } of rows) {
    const versions = entries.get(slug) ?? new Map<string, Entry>();
    entries.set(slug, versions.set(version, { id, codeHash, manifest: manifest as unknown as NodeManifest }));
  }
  const sorted = new Map([...entries].map(([slug, of]) => [slug, [...of.keys()].toSorted(semver.rcompare)]));
  return {
    versions: (slug) => sorted.get(slug) ?? [],
    manifest: (slug, version) => entries.get(slug)?.get(version)?.manifest,
    builtin: (slug) => builtins.find(slug),
    codeHash: (slug, version) => entries.get(slug)?.get(version)?.codeHash,
    id: (slug, version) => entries.get(slug)?.get(version)?.id,
  };
}
