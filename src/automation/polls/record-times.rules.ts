import { firstChange, offsetAt } from '#src/infra/cron/zone-clock.ts';
import type { WatermarkConfig } from './polls.inputs.ts';

type Written = Pick<WatermarkConfig, 'format' | 'timezone'>;

const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i;
const odata = /^\/Date\((-?\d{1,16})(?:[+-]\d{4})?\)\/$/;
const figure = /^-?\d{1,16}(?:\.\d{1,9})?$/;
/** Numbers below this are seconds, because as milliseconds they would be times in 1973 or earlier. */
const firstMillisecond = 100_000_000_000;

/** Reads a record's time as epoch milliseconds, rounded down; undefined if it cannot be read. */
export function readTime(value: unknown, { format, timezone }: Written): number | undefined {
  if (typeof value === 'number') return readFigure(value, format);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const isFigure = format === 'unix' || format === 'unix_ms';
  if (figure.test(text)) return isFigure ? readFigure(Number(text), format) : undefined;
  const ticks = odata.exec(text)?.[1];
  if (ticks !== undefined) return withinRange(Number(ticks));
  const parts = iso.exec(text);
  return parts ? readParts(parts, timezone) : undefined;
}

function readFigure(value: number, format: Written['format']): number | undefined {
  const isSeconds = format === 'unix' || (format !== 'unix_ms' && Math.abs(value) < firstMillisecond);
  return withinRange(Math.floor(isSeconds ? value * 1_000 : value));
}

/** The instant if its year has at most four digits, as ISO 8601 requires; otherwise undefined. */
const withinRange = (at: number): number | undefined =>
  at >= -62_135_596_800_000 && at < 253_402_300_800_000 ? at : undefined;

function readParts(parts: RegExpExecArray, timezone: string): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const milliseconds = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3));
  const wall = new Date(0);
  wall.setUTCFullYear(year, month - 1, day);
  // A leap second counts as the first second of the next minute.
  wall.setUTCHours(hour, minute, second, milliseconds);
  if (month < 1 || month > 12 || day < 1 || hour > 24 || minute > 59 || second > 60) return undefined;
  if (hour < 24 && second < 60 && wall.getUTCDate() !== day) return undefined;
  const zone = parts[8];
  const at = zone === undefined ? fromWall(wall.getTime(), timezone) : wall.getTime() - readOffset(zone);
  return withinRange(at);
}

function readOffset(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const digits = zone.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || 0);
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

/** The first instant at which the clocks of the zone show a time. A skipped time becomes an instant before the change. */
function fromWall(wall: number, timezone: string): number {
  const offsets = [offsetAt(timezone, wall - dayMs), offsetAt(timezone, wall + dayMs)];
  const found = offsets.map((offset) => wall - offset).filter((at) => at + offsetAt(timezone, at) === wall);
  return found.length > 0 ? Math.min(...found) : wall - Math.max(...offsets);
}

const dayMs = 86_400_000;

/** Writes an instant for the API, rounded down. */
export function writeTime(at: number, { format, timezone }: Written): string {
  if (format === 'unix') return String(Math.floor(at / 1_000));
  if (format === 'unix_ms') return String(at);
  const text = new Date(at).toISOString();
  if (format === 'auto') return text;
  if (format === 'iso_seconds') return `${text.slice(0, 19)}Z`;
  const wall = new Date(at + offsetAt(timezone, at)).toISOString();
  if (format === 'date') return wall.slice(0, 10);
  return format === 'local' ? wall.slice(0, 19).replace('T', ' ') : wall.slice(0, 19);
}

const nearMs = 3 * 3_600_000;

/**
 * The milliseconds by which a poll must begin earlier because clocks were set back around an instant. The times of one hour then occur twice,
 * and the second ones look older than they are. 0 if there was no such change, or if the format does not depend on a zone.
 */
export function repeatedMs(at: number, { format, timezone }: Written): number {
  if (format === 'unix' || format === 'unix_ms') return 0;
  const change = firstChange(timezone, at - nearMs, at + nearMs);
  return change && change.after < change.before ? change.before - change.after : 0;
}
