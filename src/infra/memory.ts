import { LRUCache } from 'lru-cache';

/**
 * Keeps up to `most` values, the last used. Counted by their size of 1: for a `max` the cache makes all its places at the start, which
 * for 10,000 takes 2 ms and half a megabyte.
 */
export const createCountedCache = <Key extends {}, Value extends {}>(most: number): LRUCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: most, sizeCalculation: () => 1 });

/**
 * Frees the memory of bytes at once; all views of it are empty afterwards. It is outside of the heap, so that the garbage collector, which
 * goes by the heap, may leave much of it for long. Only for bytes that share their memory with nothing, such as what a socket has read.
 */
export function freeBytes({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
