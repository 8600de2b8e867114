import { listBranches, type NodeCatalogue, walkNodes } from '#src/automation/blob/blob-nodes.rules.ts';
import { branchName, type WorkflowBlob } from '#src/automation/blob/blob.inputs.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { storableJson } from '#src/infra/json.ts';
import type { PinnedOutputs } from './test-runs.store.ts';

/** The member of a pin that names the branch which its node takes. */
const branchMember = '$branch';

/**
 * The pins of the nodes that the blob has; others are ignored, since the draft keeps the pins of a removed node. Throws a
 * ValidationError for a pin that is no object of outputs, and for one that takes a branch which its node does not have: nothing would follow.
 */
export function readPins(
  pins: Readonly<Record<string, unknown>>,
  blob: WorkflowBlob,
  catalogue: NodeCatalogue,
): PinnedOutputs[] {
  const nodes = new Map([...walkNodes(blob)].map(({ path, node }) => [path, node]));
  const faults: Record<string, string[]> = {};
  const read = Object.entries(pins).flatMap(([path, pin]): PinnedOutputs[] => {
    const node = nodes.get(path);
    if (!node) return [];
    if (typeof pin !== 'object' || pin === null || Array.isArray(pin)) {
      faults[`pins.${path}`] = ['The outputs of a node are an object.'];
      return [];
    }
    const { [branchMember]: given = 'default', ...outputs } = pin as Record<string, unknown>;
    const branch = branchName.safeParse(given);
    const branches = listBranches(node, catalogue);
    if (branch.success && branches?.includes(branch.data) !== false)
      return [{ path, branch: branch.data, outputs: storableJson(outputs, `pins.${path}`) }];
    const named = branches ? `: ${branches.join(', ')}` : '';
    faults[`pins.${path}.${branchMember}`] = [`Name a branch of the node${named}.`];
    return [];
  });
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
  return read;
}
