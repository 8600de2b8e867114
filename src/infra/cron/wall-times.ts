import { readCron } from './cron-fields.ts';

/** The wall-clock times of a cron expression, as milliseconds since 1970 without a time zone. */
export interface WallTimes {
  /** The first time after `wall`; undefined when there is none within ten years. */
  next(wall: number): number | undefined;
  /** True if the cron means every hour or every minute: it then follows elapsed time, not hours of the day. */
  isContinuous: boolean;
}

const day = 86_400_000;
// The longest possible gap: 29 February around a year like 2100.
const longestPauseDays = 3_660;

/** The times of a cron expression of five or six fields (seconds first). Throws a CronFault when it is invalid. */
export function createWallTimes(cron: string): WallTimes {
  const { second, minute, hour, monthDay, month, weekday } = readCron(cron);
  const [hours, minutes, seconds] = [hour.values, minute.values, second.values];
  const months = new Set(month.values);
  const days = new Set(monthDay.values);
  const weekdays = new Set(weekday.values);
  const lastWeekdays = new Set(weekday.last);

  /** The first second of the day after `passed`. */
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
    const [number, dayOfWeek] = [date.getUTCDate(), date.getUTCDay()];
    const monthDays = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    const byMonth = days.has(number) || (monthDay.isLast && number === monthDays);
    const byWeek =
      (weekdays.has(dayOfWeek) && (weekday.nth === null || Math.ceil(number / 7) === weekday.nth)) ||
      (lastWeekdays.has(dayOfWeek) && number > monthDays - 7);
    // Standard cron semantics: when both are restricted, either may match.
    if (monthDay.isAny) return weekday.isAny || byWeek;
    return weekday.isAny ? byMonth : byMonth || byWeek;
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
