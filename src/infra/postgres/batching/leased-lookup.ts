import { createCountedCache } from '#src/infra/memory.ts';
import { readLeaseMs } from '#src/infra/timing/read-leases.ts';
import { createLookup } from './lookup.ts';

/** Answers by a read that began no more than `readLeaseMs` ago; `anew` by one that begins now, for a caller that leases the answer itself. */
export type LeasedLookup<Item, Answer> = (item: Item, how?: { anew?: boolean }) => Promise<Answer | null>;

interface Lease<Answer> {
  answer: Answer;
  began: number;
  until: number;
  isRenewed: boolean;
}

/**
 * A lookup of what may be leased (read-leases.ts). What is not found is not leased, so that it is seen as soon as it is there. After half of
 * a lease the next read runs in the background: otherwise the requests that arrive when a lease ends would wait for a round trip.
 */
export function createLeasedLookup<Item, Answer extends object>({
  keyOf,
  read,
  most,
  validMs = () => readLeaseMs,
}: {
  keyOf: (item: Item) => string;
  /** One answer per item, in order; null where there is none. */
  read: (items: Item[]) => Promise<(Answer | null)[]>;
  /** Leases that a process keeps. */
  most: number;
  /** For how long an answer is good by itself. */
  validMs?: (answer: Answer) => number;
}): LeasedLookup<Item, Answer> {
  const look = createLookup({ keyOf, read });
  const leases = createCountedCache<string, Lease<Answer>>(most);

  async function lease(item: Item, key: string): Promise<Answer | null> {
    const began = performance.now();
    const answer = await look(item);
    if (answer === null) leases.delete(key);
    else leases.set(key, { answer, began, until: began + Math.min(readLeaseMs, validMs(answer)), isRenewed: false });
    return answer;
  }

  return async (item, how) => {
    const key = keyOf(item);
    const found = how?.anew ? undefined : leases.get(key);
    const now = performance.now();
    if (!found || now >= found.until) return lease(item, key);
    if (now >= found.began + readLeaseMs / 2 && !found.isRenewed) {
      found.isRenewed = true;
      // The next who asks after this lease learns of a failure.
      lease(item, key).catch(() => undefined);
    }
    return found.answer;
  };
}
