/**
 * Frees the memory of bytes at once; all views of it are empty afterwards. It is outside of the heap, so that the garbage collector, which
 * goes by the heap, may leave much of it for long. Only for bytes that share their memory with nothing, such as what a socket has read.
 */
export function freeBytes({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
