/** The primary did not answer what the read of a standby has to know of it, which says nothing of the standby. */
class PrimaryError extends Error {
  constructor(cause: unknown) {
    super('The primary did not say what its standbys must have replayed.', { cause });
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
