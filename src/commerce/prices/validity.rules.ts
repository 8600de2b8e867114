import { ValidationError } from '#src/infra/errors.ts';

/** From the first instant, inclusive, to the second, exclusive; null leaves that end open. */
export interface Validity {
  validFrom: Date | null;
  validUntil: Date | null;
}

/** Throws a ValidationError if the window would never be open. */
export function assertOpens({ validFrom, validUntil }: Validity): void {
  if (validFrom === null || validUntil === null || validFrom < validUntil) return;
  throw new ValidationError({ validUntil: ['It must be after the start of the validity.'] });
}

export const isSameInstant = (one: Date | null, other: Date | null): boolean => one?.getTime() === other?.getTime();
