import { z } from 'zod';
import { DeadLetterStatus } from '#prisma/enums.ts';

export type { DeadLetterStatus };
export const deadLetterStatuses = Object.values(DeadLetterStatus);

export const replayInput = z.object({
  triggerHandle: z.guid().nullish().describe('Another active trigger of the workflow to start from.'),
});
