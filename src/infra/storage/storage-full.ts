import { AppError } from '#src/infra/errors.ts';

const sentence = 'There is no space left to store it. Free some, or tell the operator, and then try again.';

/** No space is left for a file. */
export class StorageFullError extends AppError {
  constructor(cause: unknown) {
    super('UNAVAILABLE', sentence, cause);
  }
}

/** Disk full and quota exceeded, in the codes of the file system and of Postgres (`disk_full`). */
const codes = new Set(['ENOSPC', 'EDQUOT', '53100']);

export function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Drivers wrap the errors of the file system.
  return codes.has(String((error as NodeJS.ErrnoException).code)) || isFull(error.cause);
}
