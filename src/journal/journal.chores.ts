import { type Chore, inBatches, minuteMs } from '#src/infra/chores.ts';
import { sweepOutbox } from './outbox/outbox-upkeep.store.ts';

/** The repeating work of the journal. */
export const journalChores: readonly Chore[] = [
  {
    name: 'sweep-outbox',
    everyMs: 10 * minuteMs,
    work: inBatches(({ database }) => sweepOutbox(database)),
    fault: 'Old events could not be deleted from the outbox.',
  },
];
