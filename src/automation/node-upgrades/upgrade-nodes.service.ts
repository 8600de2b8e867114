import semver from 'semver';
import type { LoadedCatalogue } from '#src/automation/blob/blob-nodes.rules.ts';
import type { WorkflowNode } from '#src/automation/blob/blob.inputs.ts';
import type { PlacedIssue } from '#src/automation/blob/issues.rules.ts';
import { saveDraft, type SavedDraft } from '#src/automation/drafts/drafts.service.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { maxUpgrades, upgradeNodesInput, type UpgradeTarget } from './node-upgrades.inputs.ts';
import { readEditedBlob } from './node-upgrades.reads.ts';
import { readNodes } from './node-upgrades.service.ts';
import {
  askFor,
  changeNodes,
  findOutdated,
  findVersions,
  isRunnable,
  type OutdatedNode,
  type StoredNode,
} from './outdated-nodes.rules.ts';
import { createPreview, type PreviewUpgrade } from './upgrade-preview.service.ts';

export const upgradeRefusals = ['unknown_node', 'unknown_version', 'not_later', 'migration_failed', 'invalid'] as const;

export interface RefusedUpgrade {
  path: string;
  code: (typeof upgradeRefusals)[number];
  message: string;
}

export interface UpgradedNode {
  path: string;
  slug: string;
  /** The versions as the blob asked for them before, and asks now. */
  from: string;
  to: string;
  isMigrated: boolean;
  /** What the new version finds wrong with the config, for the user to correct in the draft. */
  issues: PlacedIssue[];
}

export interface UpgradedDraft {
  /** Null where no node was upgraded: nothing was saved then. */
  saved: SavedDraft | null;
  upgraded: UpgradedNode[];
  refused: RefusedUpgrade[];
  /** Outdated nodes beyond those that one call looks at. */
  remaining: number;
}

type Upgradable = Omit<OutdatedNode, 'position'> & { newest: string };

/**
 * Upgrades nodes in the workflow's draft, which is made where there is none; the published revision stays. A node that cannot be upgraded
 * is reported, and the others are saved.
 *
 * Throws NotFoundError, ConflictError for a stale version, and what `saveDraft` throws where somebody saves meanwhile.
 */
export async function upgradeNodes(
  deps: NodeDeps,
  actor: Actor,
  workflowId: bigint,
  given: unknown,
): Promise<UpgradedDraft> {
  const { version, nodes: targets } = parseInput(upgradeNodesInput, given);
  const edited = await readEditedBlob(deps.database, actor.tenantId, workflowId);
  if (!edited) throw new NotFoundError();
  if (edited.version !== version)
    throw new ConflictError(`The draft is at version ${edited.version}. Load it again and repeat your change.`, {
      currentVersion: edited.version,
    });
  const { nodes, catalogue } = await readNodes(deps, edited.blob);
  const outdated = targets ? [] : findOutdated(nodes, catalogue).filter(isUpgradable);
  const found = targets
    ? findTargets(targets, nodes, catalogue)
    : { chosen: outdated.slice(0, maxUpgrades), refused: [] };
  const preview = createPreview(deps, actor.tenantId, edited.blob, catalogue);
  const { changes, upgraded, refused } = await upgradeEach(found.chosen, preview, !targets);
  const saved =
    changes.size === 0
      ? null
      : await saveDraft(deps, actor, workflowId, {
          version,
          baseRevision: edited.baseRevision,
          blob: changeNodes(edited.blob, changes),
        });
  return {
    saved,
    upgraded,
    refused: [...found.refused, ...refused],
    remaining: Math.max(0, outdated.length - maxUpgrades),
  };
}

const isUpgradable = (node: OutdatedNode): node is OutdatedNode & { newest: string } => node.newest !== null;

/** The named nodes with the versions that they are to have. */
function findTargets(targets: readonly UpgradeTarget[], nodes: readonly StoredNode[], catalogue: LoadedCatalogue) {
  const byPath = new Map(nodes.map((stored) => [stored.path, stored]));
  const chosen: Upgradable[] = [];
  const refused: RefusedUpgrade[] = [];
  for (const { path, version } of targets) {
    const stored = byPath.get(path);
    const found = stored
      ? findTarget(stored, version ?? null, catalogue)
      : ({ code: 'unknown_node', message: 'The draft has no such node.' } as const);
    if ('code' in found) refused.push({ path, ...found });
    else chosen.push(found);
  }
  return { chosen, refused };
}

function findTarget(
  stored: StoredNode,
  wanted: string | null,
  catalogue: LoadedCatalogue,
): Upgradable | Pick<RefusedUpgrade, 'code' | 'message'> {
  const { node: slug, version } = stored.node;
  const versions = findVersions(stored.node, catalogue);
  const { from } = versions;
  if (from === null)
    return { code: 'unknown_version', message: `"${version}" is no version of ${slug}; correct it in the draft.` };
  const newest = wanted ?? versions.newest;
  if (newest === null) return { code: 'not_later', message: `No version of ${slug} after ${from} can run.` };
  const isRegistered = catalogue.versions(slug).includes(newest);
  if (!isRegistered || !isRunnable(slug, newest, catalogue))
    return { code: 'unknown_version', message: `There is no ${slug} ${newest} that can run.` };
  if (!semver.gt(newest, from))
    return { code: 'not_later', message: `The node has ${from} already; a node is not downgraded.` };
  return { ...stored, ...versions, newest };
}

/** The changed nodes by path. With `validOnly`, a node whose config would be invalid is refused. */
async function upgradeEach(chosen: readonly Upgradable[], preview: PreviewUpgrade, validOnly: boolean) {
  const changes = new Map<string, Partial<WorkflowNode>>();
  const upgraded: UpgradedNode[] = [];
  const refused: RefusedUpgrade[] = [];
  for (const stored of chosen) {
    const { path, node, newest } = stored;
    const { state, issues: asIs, migration } = await preview(stored);
    const issues = migration?.issues ?? asIs;
    if (migration?.error) {
      refused.push({ path, code: 'migration_failed', message: migration.error.message });
    } else if (validOnly && state !== 'ready') {
      refused.push({ path, code: 'invalid', message: issues.map(({ message }) => message).join(' ') });
    } else {
      const to = askFor(newest, stored);
      changes.set(path, { version: to, ...(migration?.config && { config: migration.config }) });
      upgraded.push({ path, slug: node.node, from: node.version, to, isMigrated: migration !== null, issues });
    }
  }
  return { changes, upgraded, refused };
}
