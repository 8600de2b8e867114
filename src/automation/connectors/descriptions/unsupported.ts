/**
 * Thrown when an operation cannot become a node. The message is a sentence for people, and the reader continues with the next operation.
 */
export class Unsupported extends Error {}

/** Returns the result, or the reason why there is none. */
export function orReason<T>(read: () => T): { value: T } | { reason: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof Unsupported) return { reason: error.message };
    throw error;
  }
}
