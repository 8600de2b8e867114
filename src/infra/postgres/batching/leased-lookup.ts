import { createCountedCache } from '#src/infra/memory.ts';
import { readLeaseMs } from '#src/infra/timing/read-leases.ts';
import { createLookup } from './lookup.ts';

/**
 * Answers from a read that began no more than `readLeaseMs` ago; with `anew`, from one that begins now, for a caller that leases the answer
 * itself.
 */
export type LeasedLookup<Item, Answer> = (item: Item, how?: { anew?: boolean }) => Promise<Answer | null>;

interface Lease<Answer> {
  answer: Answer;
  began: number;
  until: number;
  isRenewed: boolean;
}

/**
 * A lookup with leases (read-leases.ts). A missing item is not leased, so that it is seen as soon as it exists. After half of a lease the
 * next read runs in the background: otherwise the requests that arrive when a lease ends would wait for a round trip.
 */
export function createLeasedLookup<Item, Answer extends object>({
  toKey,
  read,
  most,
  validMs = () => readLeaseMs,
}: {
  toKey: (item: Item) => string;
  /** One answer per item, in order; null if there is none. */
  read: (items: Item[]) => Promise<(Answer | null)[]>;
  /** The number of leases that a process keeps. */
  most: number;
  /** How long an answer is valid by itself. */
  validMs?: (answer: Answer) => number;
}): LeasedLookup<Item, Answer> {
  const look = createLookup({ toKey, read });
  const leases = createCountedCache<string, Lease<Answer>>(most);

  async function lease(item: Item, key: string): Promise<Answer | null> {
    const began = performance.now();
    const answer = await look(item);
    if (answer === null) leases.delete(key);
    else leases.set(key, { answer, began, until: began + Math.min(readLeaseMs, validMs(answer)), isRenewed: false });
    return answer;
  }

  return async (item, how) => {
    const key = toKey(item);
    const found = how?.anew ? undefined : leases.get(key);
    const now = performance.now();
    if (!found || now >= found.until) return lease(item, key);
    if (now >= found.began + readLeaseMs / 2 && !found.isRenewed) {
      found.isRenewed = true;
      // The next caller after this lease gets the failure.
      lease(item, key).catch(() => undefined);
    }
    return found.answer;
  };
}
