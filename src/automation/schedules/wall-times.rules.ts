import { CronExpressionParser } from 'cron-parser';

/** The times a cron expression names on the face of a clock, as milliseconds since 1970 of a clock without a zone. */
export interface WallTimes {
  /** The first one after `wall`; undefined where there is none within ten years. */
  next(wall: number): number | undefined;
  /** Every hour or every minute is meant: such a cron counts time as it passes, not hours of a day. */
  isContinuous: boolean;
}

const day = 86_400_000;
// The longest pause there is: 29 February, around a year like 2100.
const longestPauseDays = 3_660;

/** Reads a cron expression of five fields or six (seconds first). Throws with cron-parser's message where it is none. */
export function wallTimesOf(cron: string): WallTimes {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = CronExpressionParser.parse(cron, { tz: 'UTC' }).fields;
  const hours = numbersOf(hour.values);
  const minutes = numbersOf(minute.values);
  const seconds = numbersOf(second.values);
  const months = new Set(numbersOf(month.values));
  const days = new Set(numbersOf(dayOfMonth.values));
  const weekdays = new Set(numbersOf(dayOfWeek.values));
  const lastWeekdays = dayOfWeek.hasLastChar
    ? new Set(dayOfWeek.values.map((value) => Number.parseInt(String(value), 10) % 7))
    : new Set<number>();

  /** Second of the day, the first after `passed`. */
  const nextInDay = (passed: number): number | undefined => {
    for (const h of hours) {
      if (h * 3_600 + 3_599 <= passed) continue;
      for (const m of minutes) {
        const start = h * 3_600 + m * 60;
        if (start + 59 <= passed) continue;
        const s = seconds.find((one) => start + one > passed);
        if (s !== undefined) return start + s;
      }
    }
    return undefined;
  };

  const isDay = (date: Date): boolean => {
    const [number, weekday] = [date.getUTCDate(), date.getUTCDay()];
    const monthDays = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    const byMonth = days.has(number) || (dayOfMonth.hasLastChar && number === monthDays);
    const byWeek =
      (weekdays.has(weekday) && (dayOfWeek.nthDay <= 0 || Math.ceil(number / 7) === dayOfWeek.nthDay)) ||
      (lastWeekdays.has(weekday) && number > monthDays - 7);
    // As in every cron: where both are restricted, either will do.
    if (dayOfMonth.isWildcard) return dayOfWeek.isWildcard || byWeek;
    return dayOfWeek.isWildcard ? byMonth : byMonth || byWeek;
  };

  return {
    isContinuous: hours.length === 24 || minutes.length === 60,
    next(wall) {
      let passed = Math.floor((wall - Math.floor(wall / day) * day) / 1_000);
      let midnight = Math.floor(wall / day) * day;
      for (let looked = 0; looked < longestPauseDays; looked += 1) {
        const date = new Date(midnight);
        if (months.has(date.getUTCMonth() + 1) && isDay(date)) {
          const found = nextInDay(passed);
          if (found !== undefined) return midnight + found * 1_000;
        }
        midnight += day;
        passed = -1;
      }
      return undefined;
    },
  };
}

/** Ascending, each once. */
const numbersOf = (values: readonly (number | string)[]): number[] =>
  [...new Set(values.filter((value) => typeof value === 'number'))].toSorted((a, b) => a - b);
