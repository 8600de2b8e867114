import { z } from 'zod';
import { pinLimits, pinsInput } from '#src/automation/drafts/drafts.inputs.ts';
import { startRunInput } from '#src/automation/runs/runs.inputs.ts';

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
});

/** True for the input of a test run; any other starts the workflow as a trigger does. */
export const isTest = ({ draft, pins }: { draft?: boolean | null; pins?: unknown }): boolean =>
  draft === true || pins != null;
