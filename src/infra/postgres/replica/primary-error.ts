/** The primary did not answer a question that reading from a standby needs answered. The standby itself may be healthy. */
class PrimaryError extends Error {
  constructor(cause: unknown) {
    super('The primary did not report the position that its standbys must have replayed.', { cause });
    this.name = 'PrimaryError';
  }
}

/** Asks the primary a question; rejects with a PrimaryError. */
export const askPrimary = <Answer>(question: Promise<Answer>): Promise<Answer> =>
  question.catch((error: unknown) => {
    throw new PrimaryError(error);
  });

/** True if the primary failed, directly or while a connection to a standby was opened. */
export const isPrimaryError = (error: unknown): boolean =>
  error instanceof PrimaryError || (error instanceof Error && isPrimaryError(error.cause));
