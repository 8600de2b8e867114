import { z } from 'zod';

/** The log line about an event that is put aside has both. */
export const failureKey = z.object({
  consumer: z.string().max(100).describe('As `OutboxFailure.consumer` names it.'),
  eventId: z.guid('An event has a UUID.').describe('As `OutboxFailure.eventId` names it.'),
});
export type FailureKey = z.output<typeof failureKey>;
