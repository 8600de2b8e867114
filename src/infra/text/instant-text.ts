import { z } from 'zod';

const wanted = 'Use an ISO 8601 instant, e.g. 2026-01-31T12:00:00Z.';

/**
 * An ISO 8601 date, or date and time, between the years 1 and 9999, which Postgres can hold. Without a time zone it is in
 * UTC, whatever the zone of the process.
 */
export const instantText = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], wanted)
  .refine((text) => readInstant(text) !== undefined, wanted);

/** The instant of an ISO 8601 text; undefined when it is not one that Postgres can hold. */
function readInstant(text: string): Date | undefined {
  const zoned = /T.*(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T');
  const at = new Date(zoned ? text : `${text}Z`);
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999 ? at : undefined;
}

/** Throws a TypeError that states the expected format. */
export function parseInstant(value: unknown): Date {
  const text = instantText.safeParse(value);
  const at = text.success ? readInstant(text.data) : undefined;
  if (!at) throw new TypeError(wanted);
  return at;
}
