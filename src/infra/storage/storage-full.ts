import { AppError } from '#src/infra/errors.ts';

const sentence = 'There is no space left to store it. Free some, or tell the operator, and then try again.';

/** No space is left for a file. */
export class StorageFullError extends AppError {
  constructor(cause: unknown) {
    super('UNAVAILABLE', sentence, cause);
  }
}

/** Disk full and quota exceeded, as the file system and as Postgres (`disk_full`) say it. */
const codes = new Set(['ENOSPC', 'EDQUOT', '53100']);

export function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Drivers wrap what the file system says.
  return codes.has(String((error as NodeJS.ErrnoException).code)) || isFull(error.cause);
}
