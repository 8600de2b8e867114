/**
 * Rollups count runs by the half-hour in which they ended. Days of nearly all zones begin on a half-hour of UTC, so the days of
 * any of them can be added up from the same rows.
 */
export const slotMs = 30 * 60_000;

export const slotSql = (instant: string): string =>
  `date_bin('${slotMs} milliseconds', ${instant}, 'epoch'::timestamptz)`;

/**
 * Durations are counted in steps of 1, 2, 5, 10, ... ms, so that the rows of a slot stay few: a step is at most 2.5 % of the
 * duration, and 1 ms below 100 ms. The last step, of nearly three hours, is for eleven days and more.
 */
export const durationSteps: readonly { below: number; step: number }[] = Array.from({ length: 7 }, (_, power) => [
  { below: 200 * 10 ** power, step: 2 * 10 ** power },
  { below: 500 * 10 ** power, step: 5 * 10 ** power },
  { below: power < 6 ? 1_000 * 10 ** power : Infinity, step: 10 * 10 ** power },
]).flat();

const exactBelow = 100;

/** In SQL, what is counted for a duration of `ms` whole milliseconds. A clock that was set back gives 0. */
export const durationStepSql = (ms: string): string =>
  `CASE WHEN ${ms} < ${exactBelow} THEN greatest(0, ${ms}) ${durationSteps
    .map(({ below, step }) =>
      below === Infinity ? `ELSE ${ms} - ${ms} % ${step}` : `WHEN ${ms} < ${below} THEN ${ms} - ${ms} % ${step}`,
    )
    .join(' ')} END`;
