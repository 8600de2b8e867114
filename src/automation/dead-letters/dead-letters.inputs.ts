import { z } from 'zod';

export const deadLetterStatuses = ['pending', 'replayed', 'discarded'] as const;
export type DeadLetterStatus = (typeof deadLetterStatuses)[number];

export const replayInput = z.object({
  /** Start from this trigger of the workflow instead of the captured one. */
  triggerHandle: z.guid().nullish(),
});
