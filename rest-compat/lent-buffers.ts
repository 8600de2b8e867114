/**
 * Buffers for large answers, which are used again once they have been sent. A new one of 2 MB for each answer is memory that the kernel
 * has to clear, and makes V8 collect its whole heap every few dozen answers: together a third of what 200 prices with traces cost.
 */
const smallest = 64 * 1024;
const largest = 2 * 1024 * 1024;
const mostSpare = 4;

const spare: Buffer[] = [];
const lent = new WeakMap<Buffer, Buffer>();

/** A buffer of `size` bytes to write an answer into; what it holds before is left from others. Sent whole, it comes back by itself. */
export function lendBuffer(size: number): Buffer {
  if (size < smallest || size > largest) return Buffer.allocUnsafe(size);
  const whole = spare.pop() ?? Buffer.allocUnsafeSlow(largest);
  const part = whole.subarray(0, size);
  lent.set(part, whole);
  return part;
}

/** Returns a buffer to the spare ones once it has been sent; the caller must not use it afterwards. Ignores buffers that were not lent. */
export function takeBack(buffer: Buffer): void {
  const whole = lent.get(buffer);
  if (!whole) return;
  lent.delete(buffer);
  if (spare.length < mostSpare) spare.push(whole);
}
