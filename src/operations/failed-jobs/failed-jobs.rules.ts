/** Why a failed job stays where it is. */
export const notPutBack = (queue: string): string =>
  `The job could not be put back into the queue ${queue}. Discard it if the queue is gone.`;
