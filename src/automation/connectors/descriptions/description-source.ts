import { AppError } from '#src/infra/errors.ts';

/** The facts about a description that are not in its content. */
export interface DescriptionSource {
  /** SHA-256 of the bytes, hexadecimal. */
  hash: string;
  /** The URL of the description; empty if it was not read from a URL. */
  from: string;
}

const maxOperations = 20_000;

export function assertOperationCount(count: number): void {
  if (count <= maxOperations) return;
  throw new AppError(
    'UNPROCESSABLE',
    `The description has ${count} operations, and at most ${maxOperations} are read. Split it, for example by its tags.`,
  );
}
