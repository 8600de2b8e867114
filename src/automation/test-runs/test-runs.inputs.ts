import { z } from 'zod';
import { nodeId } from '#src/automation/blob/blob.inputs.ts';
import { pinLimits, pinsInput } from '#src/automation/drafts/drafts.inputs.ts';
import { startRunInput } from '#src/automation/runs/runs.inputs.ts';
import { globalId } from '#src/infra/graph-types.ts';

/** What `startRun` accepts: for a run of the published revision, and for a test run. */
export const testRunInput = startRunInput.extend({
  draft: z
    .boolean()
    .nullish()
    .describe('Run the draft as it is saved, with its pins, instead of the published revision.'),
  pins: pinsInput
    .nullish()
    .describe(
      `Outputs by the path of their node (\`each/send\`), instead of the pins of the draft: such a node is not executed. Its member \`$branch\` names the branch to take, else \`default\`. At most ${pinLimits} of JSON.`,
    ),
  from: nodeId
    .nullish()
    .describe(
      'The first node to execute. Nodes before it need outputs that are pinned or reused, and are not executed.',
    ),
  to: nodeId.nullish().describe('The last node to execute: it, and the nodes that lead to it.'),
  reuse: globalId
    .nullish()
    .describe(
      'A run of the workflow, whose trigger and payload are taken, and the outputs of its nodes that have not changed since, nor any before them.',
    ),
});

/** True for the input of a test run; any other starts the workflow as a trigger does. */
export const isTest = ({ draft, pins, from, to, reuse }: z.input<typeof testRunInput>): boolean =>
  draft === true || [pins, from, to, reuse].some((given) => given != null);
