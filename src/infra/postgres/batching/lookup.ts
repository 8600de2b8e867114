import { createBatcher } from './batcher.ts';

/**
 * Combines concurrent reads of changing data: each answer comes from a read that began after its caller asked. Callers that ask during a
 * read share the next one, and those with the same `toKey` share an answer too. `read` returns one answer per item, in order.
 */
export function createLookup<Item, Answer>({
  toKey,
  read,
}: {
  toKey: (item: Item) => string;
  read: (items: Item[]) => Promise<Answer[]>;
}): (item: Item) => Promise<Answer> {
  const asked = new Map<string, Promise<Answer>>();
  const batches = createBatcher<Item, Answer>({
    maxBatch: 500,
    concurrency: 2,
    // A read that waits for a lock does not delay the others.
    patienceMs: 5,
    write(items) {
      for (const item of items) asked.delete(toKey(item));
      return read(items);
    },
  });
  return (item) => {
    const key = toKey(item);
    const shared = asked.get(key);
    if (shared) return shared;
    const answer = batches.add(item);
    asked.set(key, answer);
    // After an outage a batcher rejects queued items without a read: later callers must not share the rejection.
    const forget = (): void => {
      if (asked.get(key) === answer) asked.delete(key);
    };
    answer.then(forget, forget);
    return answer;
  };
}
