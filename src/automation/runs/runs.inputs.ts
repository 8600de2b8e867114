import { z } from 'zod';

export const resumeRunInput = z.object({
  token: z.guid().describe('Of the step that waits.'),
  data: z.unknown().optional().describe('Becomes the output of the step.'),
});
