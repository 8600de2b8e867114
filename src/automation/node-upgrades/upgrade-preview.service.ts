import type { LoadedCatalogue } from '#src/automation/blob/blob-nodes.rules.ts';
import type { PlacedIssue } from '#src/automation/blob/issues.rules.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { type Change, compareJson } from '#src/automation/workflows/revision-diff.rules.ts';
import { shortChange } from '#src/automation/workflows/revision-summary.rules.ts';
import { createMigrate, type MigrationError } from './config-migration.service.ts';
import { maxChanges } from './manifest-diff.rules.ts';
import type { OutdatedNode } from './outdated-nodes.rules.ts';
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

/** Computes what the upgrade of a node from `from` to `newest` would do. */
export type PreviewUpgrade = (stored: Omit<OutdatedNode, 'position'>) => Promise<UpgradePreview>;

/** The previews of one request share the limits of migrations and checks. */
export function createPreview(
  deps: NodeDeps,
  tenantId: string,
  blob: unknown,
  catalogue: LoadedCatalogue,
): PreviewUpgrade {
  const check = createUpgradeCheck(blob, catalogue);
  const migrate = createMigrate(deps, tenantId);

  return async (stored) => {
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
