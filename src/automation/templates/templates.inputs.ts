import { z } from 'zod';

const placeholderKey = z.string().max(64);

/** The input for creating a workflow from a template; unknown keys are ignored. */
export const instantiateTemplateInput = z.object({
  name: z.string().trim().min(1).max(191).describe("The workflow's."),
  credentials: z
    .record(placeholderKey, z.union([z.int(), z.string().max(64)], 'Name a credential by its id.').nullable())
    .nullish()
    .describe('Ids of credentials by placeholder.'),
  values: z.record(placeholderKey, z.unknown()).nullish().describe('Any JSON by placeholder.'),
});
