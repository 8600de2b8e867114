import { z } from 'zod';

/** The log names both when an event is put aside. */
export const failureKey = z.object({ consumer: z.string().max(100), eventId: z.guid('An event has a UUID.') });
export type FailureKey = z.output<typeof failureKey>;
