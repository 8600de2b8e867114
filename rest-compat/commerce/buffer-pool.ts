/**
 * Buffers for the prices of 200 articles, which are reused after they were sent. The kernel must clear a new one of 2 MB for each response,
 * and V8 would collect its whole heap every few dozen responses: together a third of the cost.
 */
const minBytes = 64 * 1024;
const maxBytes = 2 * 1024 * 1024;
const maxSpare = 4;

const spare: Buffer[] = [];

export interface PooledBuffer {
  /** Not cleared: contains bytes of former responses. */
  buffer: Buffer;
  /** The buffer must not be used afterwards. A second call does nothing. */
  release: () => void;
}

/** A buffer of `size` bytes; smaller and larger ones are not pooled. */
export function acquireBuffer(size: number): PooledBuffer {
  if (size < minBytes || size > maxBytes) return { buffer: Buffer.allocUnsafe(size), release: () => undefined };
  let whole: Buffer | undefined = spare.pop() ?? Buffer.allocUnsafeSlow(maxBytes);
  return {
    buffer: whole.subarray(0, size),
    release() {
      if (whole && spare.length < maxSpare) spare.push(whole);
      whole = undefined;
    },
  };
}
