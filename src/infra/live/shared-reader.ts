import { setTimeout as delay } from 'node:timers/promises';

/** Reads a key. All callers in the same turn of the event loop get the same object. */
export type SharedReader<Key, Value> = (key: Key) => Promise<Value>;

/**
 * Combines concurrent reads into one. A read begins only after the last caller has asked, so that its result contains
 * everything committed before each of them asked. `read` returns a value for each key, in order.
 */
export function createSharedReader<Key, Value>(options: {
  name: (key: Key) => string;
  read: (keys: Key[]) => Promise<Value[]>;
  /** The most keys in one read. */
  maxBatch: number;
}): SharedReader<Key, Value> {
  let pending = new Map<string, { key: Key; answer: PromiseWithResolvers<Value> }>();

  async function flush(): Promise<void> {
    const entries = [...pending.values()];
    pending = new Map();
    for (let from = 0; from < entries.length; from += options.maxBatch) {
      const batch = entries.slice(from, from + options.maxBatch);
      try {
        const values = await options.read(batch.map(({ key }) => key));
        batch.forEach(({ answer }, index) => answer.resolve(values[index] as Value));
      } catch (error) {
        for (const { answer } of batch) answer.reject(error);
      }
    }
  }

  return (key) => {
    const name = options.name(key);
    const known = pending.get(name);
    if (known) return known.answer.promise;
    if (pending.size === 0) setImmediate(() => void flush());
    const answer = Promise.withResolvers<Value>();
    pending.set(name, { key, answer });
    return answer.promise;
  };
}

const firstDelayMs = 100;
const lastDelayMs = 500;

/**
 * Retries a read, after 100 ms at first and up to 500 ms, until it succeeds. Returns undefined once `givenUp` is true. For a
 * reader that must not miss a state because the database was restarting.
 */
export async function readUntilAnswered<Value>(
  read: () => Promise<Value>,
  givenUp: () => boolean,
  onError: (error: unknown) => void,
): Promise<Value | undefined> {
  for (let wait = firstDelayMs; !givenUp(); wait = Math.min(lastDelayMs, wait * 2)) {
    try {
      return await read();
    } catch (error) {
      onError(error);
      await delay(wait, undefined, { ref: false });
    }
  }
  return undefined;
}
