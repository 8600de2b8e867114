import { z } from 'zod';

const wanted = 'Use an ISO 8601 instant, e.g. 2026-01-31T12:00:00Z.';

/**
 * An ISO 8601 date, or date and time, that Postgres can hold: of the years 1 to 9999. What names no zone is in UTC, wherever
 * the process runs.
 */
export const instantText = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], wanted)
  .refine((text) => readInstant(text) !== undefined, wanted);

/** The instant that an ISO 8601 text means; undefined for one that Postgres cannot hold. */
function readInstant(text: string): Date | undefined {
  const zoned = /T.*(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T');
  const at = new Date(zoned ? text : `${text}Z`);
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999 ? at : undefined;
}

/** Throws a TypeError that says what is wanted. */
export function parseInstant(value: unknown): Date {
  const text = instantText.safeParse(value);
  const at = text.success ? readInstant(text.data) : undefined;
  if (!at) throw new TypeError(wanted);
  return at;
}
