import { z } from 'zod';
import { globalId } from '#src/infra/graph-types.ts';

export const startImportInput = z.object({
  uploadId: globalId.describe('The upload whose file has been sent.'),
  profile: z.string().describe("A profile's name."),
  dryRun: z.boolean().nullish().describe('Does the same work and rolls it back; the upload stays to be imported.'),
});
