import { z } from 'zod';

export const deadLetterStatuses = ['pending', 'replayed', 'discarded'] as const;
export type DeadLetterStatus = (typeof deadLetterStatuses)[number];

export const replayInput = z.object({
  triggerHandle: z.guid().nullish().describe('Another active trigger of the workflow.'),
});
