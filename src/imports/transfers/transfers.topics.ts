import { z } from 'zod';
import { defineTopic } from '#src/journal/outbox/topic.ts';
import { directions } from './transfers.inputs.ts';

export const transferFailed = defineTopic({
  name: 'transfer.failed',
  when: 'when a scheduled import or export cannot fetch or put its files, once until it succeeds again; `error` says why',
  data: z.object({
    id: z.int(),
    direction: z.enum(directions),
    place: z.string(),
    profile: z.string().nullable(),
    error: z.string(),
    last_success_at: z.iso.datetime().nullable(),
  }),
});
