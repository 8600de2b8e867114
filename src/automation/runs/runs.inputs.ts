import { z } from 'zod';

export const resumeRunInput = z.object({
  token: z.guid().describe("The step's resume_token."),
  data: z.unknown().optional(),
});
