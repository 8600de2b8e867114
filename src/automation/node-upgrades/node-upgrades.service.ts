import type { LoadedCatalogue } from '#src/automation/blob/blob-nodes.rules.ts';
import type { PlacedIssue } from '#src/automation/blob/issues.rules.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { loadCatalogue } from '#src/automation/workflows/node-catalogue.reads.ts';
import { diffManifests, type ManifestDiff } from './manifest-diff.rules.ts';
import { readEditedBlob } from './node-upgrades.reads.ts';
import { findOutdated, type OutdatedNode, storedNodes } from './outdated-nodes.rules.ts';
import { createUpgradeCheck } from './upgrade-check.rules.ts';

export const upgradeStates = ['ready', 'invalid', 'unavailable'] as const;

/** What an upgrade would do. */
export interface UpgradePreview {
  state: (typeof upgradeStates)[number];
  /** What the newest version finds wrong with the config as it is. */
  issues: PlacedIssue[];
}

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
  const { outdated, catalogue } = await readOutdated(deps, edited.blob);
  const check = createUpgradeCheck(edited.blob, catalogue);
  return outdated.map((node) => {
    let preview: Promise<UpgradePreview> | undefined;
    return {
      ...node,
      diff: () => diffVersions(node, catalogue),
      preview: () => (preview ??= previewUpgrade(node, check)),
    };
  });
}

async function readOutdated(deps: NodeDeps, blob: unknown) {
  const nodes = [...storedNodes(blob)];
  // Without their configs, because each loop's body is among the nodes already.
  const catalogue = await loadCatalogue(deps, {
    nodes: nodes.map(({ node }) => ({ ...node, config: {} })),
    edges: [],
  });
  return { outdated: findOutdated(nodes, catalogue), catalogue };
}

function diffVersions({ node, current, newest }: OutdatedNode, catalogue: LoadedCatalogue): ManifestDiff | null {
  const [from, to] = [current, newest].map((version) =>
    version === null ? undefined : catalogue.manifest(node.node, version),
  );
  return from && to ? diffManifests(from, to) : null;
}

async function previewUpgrade(
  stored: OutdatedNode,
  check: ReturnType<typeof createUpgradeCheck>,
): Promise<UpgradePreview> {
  if (stored.newest === null) return { state: 'unavailable', issues: [] };
  const issues = await check(stored, { ...stored.node, version: stored.newest });
  return { state: issues.length === 0 ? 'ready' : 'invalid', issues };
}
