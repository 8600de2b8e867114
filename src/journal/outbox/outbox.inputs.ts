import { z } from 'zod';
import { parseInput } from '#src/infra/inputs.ts';

/** The log line about an event that is put aside has both. */
export const failureKey = z.object({
  consumer: z.string().max(100).describe('As `OutboxFailure.consumer` names it.'),
  eventId: z.guid('An event has a UUID.').describe('As `OutboxFailure.eventId` names it.'),
});
export type FailureKey = z.output<typeof failureKey>;

const name = z.string().max(200).nullish();
const failureFilter = z.object({
  consumer: name,
  topic: name,
  tenantId: name,
  since: z.date().nullish(),
  until: z.date().nullish(),
});

/** All given filters must match. `since` and `until` hold when an event was put aside, half open. */
export type FailureFilter = z.output<typeof failureFilter>;

/** The filter of a request. Text of it that cannot be stored, or is too long, is refused at its field. */
export const readFailureFilter = (given: unknown): FailureFilter => parseInput(failureFilter, given);
