import { LRUCache } from 'lru-cache';

/**
 * Keeps up to `most` values, the most recently used. Limited by size with a size of 1 each: with `max` the cache would allocate all its
 * slots at the start, which for 10,000 takes 2 ms and half a megabyte.
 */
export const createCountedCache = <Key extends {}, Value extends {}>(most: number): LRUCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: most, sizeCalculation: () => 1 });

/**
 * Frees the memory of a buffer immediately; all views of it are empty afterwards. The memory is outside of the heap, and the garbage
 * collector, which goes by the size of the heap, may keep much of it for long. Only for buffers that share their memory with nothing, such
 * as a read of a socket.
 */
export function freeBytes({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
