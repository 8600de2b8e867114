import type { EventDeadLetter } from '#src/automation/dead-letters/event-dead-letters.reads.ts';
import type { StepRow } from '#src/automation/runs/run-details.reads.ts';
import type { RunRow } from '#src/automation/runs/runs.reads.ts';
import type { ChangeRow } from '#src/commerce/orders/order-changes.reads.ts';
import type { Delivery } from '#src/commerce/webhooks/deliveries.inputs.ts';

/** How much of a story is read at most: an order has few events, and each of them few runs, dead letters and deliveries. */
export const storyLimits = { runsOfEvent: 100, deadLettersOfEvent: 100, deliveriesOfEvent: 100, stepsOfRun: 20 };

/** Something that happened to an order, or because of it. */
export type StoryEntry = {
  at: string | Date;
  /** The event that reports the change, or that caused the run, the step or the delivery. */
  eventId: string | null;
} & (
  | { kind: 'change'; change: ChangeRow }
  | { kind: 'deadLetter'; deadLetter: EventDeadLetter }
  | { kind: 'delivery'; delivery: Delivery }
  | { kind: 'run'; run: RunRow }
  | { kind: 'step'; run: RunRow; step: StepRow }
);

/** Entries of the same millisecond follow each other as causes and effects do. */
const places = { change: 0, delivery: 1, deadLetter: 2, run: 3, step: 4 } satisfies Record<StoryEntry['kind'], number>;

const time = ({ at }: StoryEntry): number => (typeof at === 'string' ? Date.parse(at) : at.getTime());

/** The entries in the order in which they happened. */
export const sortStory = (entries: readonly StoryEntry[]): StoryEntry[] =>
  entries.toSorted((one, other) => time(one) - time(other) || places[one.kind] - places[other.kind]);
