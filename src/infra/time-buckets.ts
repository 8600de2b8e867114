import { ValidationError } from './errors.ts';

export const intervals = ['hour', 'day'] as const;
export type Interval = (typeof intervals)[number];

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Days of nearly all zones begin on a half-hour of UTC. */
const dayStepMinutes = 30;

/** The longest time that one request covers. */
export const maxDays: Record<Interval, number> = { hour: 31, day: 366 };

export interface StatisticsRange {
  since: Date;
  until: Date;
  interval: Interval;
  /** An IANA zone, whose days are counted. */
  timeZone: string;
}

/** A stretch of time, half open, in epoch milliseconds. */
export interface TimeBucket {
  from: number;
  until: number;
}

/** Throws a ValidationError for a range that is empty or too long, or for a zone whose days cannot be counted. */
export function assertRange({ since, until, interval, timeZone }: StatisticsRange): void {
  if (until <= since) throw new ValidationError({ until: ['Must be later than since.'] });
  if (until.getTime() - since.getTime() > maxDays[interval] * dayMs)
    throw new ValidationError({ since: [`At most ${maxDays[interval]} days by the ${interval}.`] });
  const fault = zoneFault(timeZone, [since, until]);
  if (fault !== undefined) throw new ValidationError({ timeZone: [fault] });
}

/** Rollups are of half-hours of UTC, so days that begin at a quarter to or past one cannot be added up from them. */
function zoneFault(timeZone: string, instants: Date[]): string | undefined {
  if (!/^[A-Za-z]/.test(timeZone) || !isZone(timeZone)) return 'Name an IANA time zone, e.g. Europe/Berlin.';
  if (instants.some((instant) => minutesAhead(timeZone, instant) % dayStepMinutes !== 0))
    return 'Days of this time zone do not begin on a half-hour of UTC, and are not counted. Use UTC.';
  return undefined;
}

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The minutes of the zone's offset from UTC beyond whole hours. */
function minutesAhead(timeZone: string, instant: Date): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(instant);
  return Number(/:(\d\d)/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '')?.[1] ?? 0);
}

/** The instants between the hours that the range touches, in epoch milliseconds; one more than there are hours. */
export function hourBounds({ since, until }: StatisticsRange): number[] {
  const first = Math.floor(since.getTime() / hourMs);
  const last = Math.ceil(until.getTime() / hourMs);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * hourMs);
}

/** The counts of a group: in all, and in every bucket of a range. */
export interface Series<Counts> {
  key: string;
  total: Counts;
  buckets: (Counts & TimeBucket)[];
}

/**
 * Makes series of rows with the counts of a group in a bucket; a row without a bucket has those of all buckets. Buckets without a row get
 * `none`. In the order of the totals.
 */
export function toSeries<Row extends { key: string; bucket: number | null }, Counts>(
  rows: readonly Row[],
  bounds: readonly number[],
  readCounts: (row: Row) => Counts,
  none: Counts,
): Series<Counts>[] {
  const byGroup = new Map<string, Row>();
  for (const row of rows) if (row.bucket !== null) byGroup.set(`${row.bucket}/${row.key}`, row);
  return rows
    .filter(({ bucket }) => bucket === null)
    .map((total) => ({
      key: total.key,
      total: readCounts(total),
      buckets: bounds.slice(1).map((until, index) => {
        const row = byGroup.get(`${index}/${total.key}`);
        return { from: bounds[index] as number, until, ...(row ? readCounts(row) : none) };
      }),
    }));
}
