import type { z } from 'zod';

declare module '#src/infra/services.ts' {
  interface Services {
    /** The names of the topics that the domains declare. Their events report actions of this server, and nobody else may publish them. */
    ownTopics: ReadonlySet<string>;
    /** The same topics with when each is published, by name. */
    declaredTopics: readonly Topic[];
  }
}

/** A kind of event that a domain publishes. */
export interface Topic<Data extends z.ZodType = z.ZodType> {
  /** Words joined by dots, e.g. `order.created`. */
  name: string;
  /** When it is published; a cell of the table in docs/events.md. */
  when: string;
  data: Data;
}

/** Declares a topic in its slice (`x.declarations.ts`); the domain's manifest lists it. */
export const defineTopic = <Data extends z.ZodType>(topic: Topic<Data>): Topic<Data> => topic;
