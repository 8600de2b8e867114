import { z } from 'zod';
import { blobLimits } from '#src/automation/blob/blob.inputs.ts';
import { graphTypes } from '#src/infra/graph-types.ts';

const target = z
  .object({
    path: z.string().max(1_000).describe('Its id; inside a loop, the path of ids: `each/send`.'),
    version: z
      .string()
      .max(128)
      .nullish()
      .describe('A later version that is registered; left out: the newest. A node is not downgraded.'),
  })
  .register(graphTypes, { type: 'NodeUpgradeTargetInput', description: 'A node that is to be upgraded.' });

export type UpgradeTarget = z.output<typeof target>;

const hasUniquePaths = (targets: UpgradeTarget[]): boolean =>
  new Set(targets.map(({ path }) => path)).size === targets.length;

/** As many nodes as a workflow may have. */
export const maxUpgrades = blobLimits.nodes;

export const upgradeNodesInput = z.object({
  version: z
    .int()
    .min(0)
    .describe('The version of the draft that is meant; 0 without a draft. A stale one answers a ConflictError.'),
  nodes: z
    .array(target)
    .min(1)
    .max(maxUpgrades)
    .refine(hasUniquePaths, 'A node is named twice.')
    .nullish()
    .describe(
      `At most ${maxUpgrades}. Their config may be invalid afterwards. Left out: the first ${maxUpgrades} outdated nodes, those alone whose config is valid afterwards.`,
    ),
});
