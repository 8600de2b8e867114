import { z } from 'zod';
import { defineTopic } from '#src/journal/outbox/topic.ts';
import { disabledReasons } from './destinations.inputs.ts';

const destination = { id: z.int(), name: z.string(), url: z.string() };

export const destinationFailing = defineTopic({
  name: 'webhook_destination.failing',
  when: 'when a webhook destination has had no success for 24 hours; after 5 days it is disabled',
  data: z.object({ ...destination, failing_since: z.iso.datetime() }),
});

export const destinationDisabled = defineTopic({
  name: 'webhook_destination.disabled',
  when: 'when a webhook destination is disabled, by hand or because it answers 410 or keeps failing',
  data: z.object({ ...destination, reason: z.enum(disabledReasons) }),
});
