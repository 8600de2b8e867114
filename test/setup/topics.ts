import { z } from 'zod';
import { defineTopic } from '#src/journal/outbox/topic.ts';

/** A topic of any name, for any data. */
export const anyTopic = (name: string) => defineTopic({ name, when: 'in tests', data: z.unknown() });
