import { language, locale } from './language.ts';

const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 });
const exactTimes = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });

/** A whole number or an exact decimal in the reader's digits. Text is not read as a double, so it keeps all its digits. */
export const numberText = (value: number | string): string =>
  typeof value === 'number' ? numbers.format(value) : numbers.format(value as unknown as number);

/** An amount with its currency. Digits beyond the currency's own are kept. */
export function moneyText(amount: string, currency: string): string {
  const decimals = amount.split('.')[1]?.length ?? 0;
  const minimum = new Intl.NumberFormat(locale, { style: 'currency', currency }).resolvedOptions();
  const digits = Math.min(20, Math.max(decimals, minimum.minimumFractionDigits ?? 2));
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: minimum.minimumFractionDigits ?? 2,
    maximumFractionDigits: digits,
  }).format(amount as unknown as number);
}

/** The instant in the reader's zone, with seconds. */
export const timeText = (instant: string): string => exactTimes.format(new Date(instant));

/** The instant in a zone such as `Europe/Berlin`, with the day and the zone's name then. */
export const zonedTimeText = (instant: string, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(instant));

const steps: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** "2 min. ago", or the date when it is more than a week away. `now` is the server's time in milliseconds. */
export function ageText(instant: string, now: number): string {
  const distance = (Date.parse(instant) - now) / 1_000;
  // The time that ages are drawn with lags by some seconds: what has just happened is not to come.
  const seconds = distance > 0 && distance < 10 ? 0 : distance;
  if (Math.abs(seconds) > 7 * 86_400) return timeText(instant);
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** Milliseconds in the unit that fits: 12 ms, 1.4 s, 3 min 5 s, 2 h 4 min. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${numberText(Math.floor(ms))} ms`;
  if (ms < 60_000) return `${numberText(Math.floor(ms / 100) / 10)} s`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Bytes in kB and MB of a thousand each. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${numberText(Math.round(bytes / 100) / 10)} kB`;
  return `${numberText(Math.round(bytes / 100_000) / 10)} MB`;
}
