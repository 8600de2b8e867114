import { z } from 'zod';

export const failedJobInput = z.object({ id: z.guid('The field id must be the UUID of a failed job.') });
