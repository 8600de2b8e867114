import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';

export const failedJobInput = z.object({
  id: z.guid('The field id must be the UUID of a failed job.').register(graphTypes, { type: 'ID' }),
});
