import { AppError } from '#src/infra/errors.ts';

/** What a reader knows about a description besides its content. */
export interface DescriptionSource {
  /** SHA-256 of the bytes, hexadecimal. */
  hash: string;
  /** The URL that it came from; empty if it did not come from one. */
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
