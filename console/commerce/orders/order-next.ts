import { enumWord } from '#console/words/enums.ts';
import type { Order } from './order-actions.ts';
import { orderNextWords as w } from './order-next.words.ts';
import { orderStoryWords as sw } from './order-story.words.ts';

/** What a pending order waits for, and the page where something can be done about it. */
export interface Next {
  text: string;
  target?: { noun: string; id: string };
}

type Entry = Order['story'][number];

const isRun = (entry: Entry): entry is Extract<Entry, { run: { status: unknown } }> =>
  'run' in entry && 'status' in entry.run;

/** What went wrong and was not made good since. A run that was made again is the latest of its workflow. */
function* findFaults(story: readonly Entry[]): Generator<Next, undefined> {
  for (const entry of story)
    if ('deadLetter' in entry && entry.deadLetter.status === 'PENDING')
      yield {
        text: w.notStarted(entry.deadLetter.workflowName),
        target: { noun: 'dead-letters', id: entry.deadLetter.id },
      };
  const latest = new Map(story.filter(isRun).map(({ run }) => [run.workflowName, run]));
  for (const { id, databaseId, status, workflowName } of latest.values())
    if (status === 'FAILED') yield { text: w.failed(String(databaseId), workflowName), target: { noun: 'runs', id } };
  for (const entry of story)
    if ('delivery' in entry && entry.delivery.status !== 'DELIVERED') {
      const { id, status, destination } = entry.delivery;
      const name = destination?.name ?? sw.deletedDestination;
      yield {
        text: status === 'PENDING' ? w.underWay(name) : w.notDelivered(name),
        target: { noun: 'deliveries', id },
      };
    }
}

/** The worst of what a pending order waits for. */
export function findNext({ holdReason, story }: Pick<Order, 'holdReason' | 'story'>): Next {
  if (holdReason !== null) return { text: w.held(enumWord(holdReason)) };
  const [fault] = findFaults(story);
  return fault ?? { text: story.every((entry) => 'change' in entry) ? w.notTaken : w.waiting };
}
