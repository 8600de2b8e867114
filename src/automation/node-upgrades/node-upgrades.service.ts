import type { LoadedCatalogue } from '#src/automation/blob/blob-nodes.rules.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { loadCatalogue } from '#src/automation/workflows/node-catalogue.reads.ts';
import { diffManifests, type ManifestDiff } from './manifest-diff.rules.ts';
import { readEditedBlob } from './node-upgrades.reads.ts';
import { findOutdated, type OutdatedNode, type StoredNode, storedNodes } from './outdated-nodes.rules.ts';
import { createPreview, type UpgradePreview } from './upgrade-preview.service.ts';

export interface NodeUpgrade extends OutdatedNode {
  /** Null where one of the versions is not registered. */
  diff(): ManifestDiff | null;
  /** Computed when it is first asked for. */
  preview(): Promise<UpgradePreview>;
}

/** The outdated nodes of what an editor shows, in the order of the blob; null for a workflow that the tenant does not have. */
export async function listNodeUpgrades(
  deps: NodeDeps,
  tenantId: string,
  workflowId: bigint,
): Promise<NodeUpgrade[] | null> {
  const edited = await readEditedBlob(deps.database, tenantId, workflowId);
  if (!edited) return null;
  const { nodes, catalogue } = await readNodes(deps, edited.blob);
  const preview = createPreview(deps, tenantId, edited.blob, catalogue);
  return findOutdated(nodes, catalogue).map((node) => {
    let previewed: Promise<UpgradePreview> | undefined;
    return {
      ...node,
      diff: () => diffVersions(node, catalogue),
      preview: () => (previewed ??= preview(node)),
    };
  });
}

/** The nodes of a blob, and the catalogue of all their versions. */
export async function readNodes(
  deps: NodeDeps,
  blob: unknown,
): Promise<{ nodes: StoredNode[]; catalogue: LoadedCatalogue }> {
  const nodes = [...storedNodes(blob)];
  // Without their configs, because each loop's body is among the nodes already.
  const catalogue = await loadCatalogue(deps, {
    nodes: nodes.map(({ node }) => ({ ...node, config: {} })),
    edges: [],
  });
  return { nodes, catalogue };
}

function diffVersions({ node, current, newest }: OutdatedNode, catalogue: LoadedCatalogue): ManifestDiff | null {
  const [from, to] = [current, newest].map((version) =>
    version === null ? undefined : catalogue.manifest(node.node, version),
  );
  return from && to ? diffManifests(from, to) : null;
}
