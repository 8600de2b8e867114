import type { z } from 'zod';

/** A kind of event that a domain publishes. */
export interface Topic<Data extends z.ZodType = z.ZodType> {
  /** Words joined by dots, e.g. `order.created`. */
  name: string;
  /** When it is published; a cell of the table in docs/events.md. */
  when: string;
  data: Data;
}

/** Declares a topic in its slice (`x.topics.ts`); the domain's parts list it. */
export const defineTopic = <Data extends z.ZodType>(topic: Topic<Data>): Topic<Data> => topic;
