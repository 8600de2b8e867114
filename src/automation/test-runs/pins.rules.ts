import { walkNodes } from '#src/automation/blob/blob-nodes.rules.ts';
import { branchName, type WorkflowBlob } from '#src/automation/blob/blob.inputs.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { storableJson } from '#src/infra/json.ts';
import type { PinnedOutputs } from './test-runs.store.ts';

/** The member of a pin that names the branch which its node takes. */
const branchMember = '$branch';

/**
 * The pins of the nodes that the blob has; others are ignored, since the draft keeps the pins of a removed node. Throws a
 * ValidationError for a pin that is no object of outputs.
 */
export function readPins(pins: Readonly<Record<string, unknown>>, blob: WorkflowBlob): PinnedOutputs[] {
  const paths = new Set([...walkNodes(blob)].map(({ path }) => path));
  const faults: Record<string, string[]> = {};
  const read = Object.entries(pins).flatMap(([path, pin]): PinnedOutputs[] => {
    if (!paths.has(path)) return [];
    if (typeof pin !== 'object' || pin === null || Array.isArray(pin)) {
      faults[`pins.${path}`] = ['The outputs of a node are an object.'];
      return [];
    }
    const { [branchMember]: given = 'default', ...outputs } = pin as Record<string, unknown>;
    const branch = branchName.safeParse(given);
    if (branch.success) return [{ path, branch: branch.data, outputs: storableJson(outputs, `pins.${path}`) }];
    faults[`pins.${path}.${branchMember}`] = ['Name a branch of the node.'];
    return [];
  });
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
  return read;
}
