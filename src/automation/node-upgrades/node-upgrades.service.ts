import type { LoadedCatalogue } from '#src/automation/blob/blob-nodes.rules.ts';
import type { PlacedIssue } from '#src/automation/blob/issues.rules.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { loadCatalogue } from '#src/automation/workflows/node-catalogue.reads.ts';
import { type Change, compareJson } from '#src/automation/workflows/revision-diff.rules.ts';
import { shortChange } from '#src/automation/workflows/revision-summary.rules.ts';
import { createMigrate, type MigrationError } from './config-migration.service.ts';
import { diffManifests, type ManifestDiff, maxChanges } from './manifest-diff.rules.ts';
import { readEditedBlob } from './node-upgrades.reads.ts';
import { findOutdated, type OutdatedNode, storedNodes } from './outdated-nodes.rules.ts';
import { createUpgradeCheck } from './upgrade-check.rules.ts';

export const upgradeStates = ['ready', 'invalid', 'migration_failed', 'unavailable'] as const;

/** What an upgrade would do. */
export interface UpgradePreview {
  state: (typeof upgradeStates)[number];
  /** What the newest version finds wrong with the config as it is. */
  issues: PlacedIssue[];
  /** Null where the newest version's code exports no `migrate`. */
  migration: UpgradeMigration | null;
}

export interface UpgradeMigration {
  /** Null where the migration failed. */
  config: Record<string, unknown> | null;
  /** How it differs from the config as it is. */
  changes: Change[];
  /** What the newest version finds wrong with it. */
  issues: PlacedIssue[];
  error: MigrationError | null;
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
  const preview = createPreview(deps, tenantId, edited.blob, catalogue);
  return outdated.map((node) => {
    let previewed: Promise<UpgradePreview> | undefined;
    return {
      ...node,
      diff: () => diffVersions(node, catalogue),
      preview: () => (previewed ??= preview(node)),
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

/** The previews of one request share the limits of migrations and checks. */
function createPreview(deps: NodeDeps, tenantId: string, blob: unknown, catalogue: LoadedCatalogue) {
  const check = createUpgradeCheck(blob, catalogue);
  const migrate = createMigrate(deps, tenantId);

  return async (stored: OutdatedNode): Promise<UpgradePreview> => {
    const { node, from, newest } = stored;
    if (newest === null || from === null) return { state: 'unavailable', issues: [], migration: null };
    const upgraded = { ...node, version: newest };
    const issues = await check(stored, upgraded);
    const codeHash = catalogue.codeHash(node.node, newest);
    const migrated = codeHash ? await migrate({ codeHash, config: node.config, fromVersion: from }) : null;
    if (!migrated) return { state: stateWith(issues), issues, migration: null };
    if (!migrated.ok) {
      const { error } = migrated;
      return { state: 'migration_failed', issues, migration: { config: null, changes: [], issues: [], error } };
    }
    const { config } = migrated;
    const migration = {
      config,
      changes: compareJson({ config: node.config }, { config }, maxChanges).map(shortChange),
      issues: await check(stored, { ...upgraded, config }),
      error: null,
    };
    return { state: stateWith(migration.issues), issues, migration };
  };
}

const stateWith = (issues: readonly PlacedIssue[]) => (issues.length === 0 ? 'ready' : 'invalid');
