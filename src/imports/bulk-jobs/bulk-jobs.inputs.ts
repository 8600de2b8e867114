import { z } from 'zod';

export const startImportInput = z.object({
  uploadId: z.string(),
  /** A profile's name. */
  profile: z.string(),
  dryRun: z.boolean().nullish(),
});
