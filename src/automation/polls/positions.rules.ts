import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { WatermarkConfig } from './polls.inputs.ts';
import { readTime, repeatedMs, writeTime } from './record-times.rules.ts';

/** A position, as text: a time in ISO 8601 in UTC with milliseconds, an id, or a cursor. */
export type Position = string;

/** Negative if `a` is before `b`. Times have a fixed form, so they are compared as text. Ids of digits are compared as numbers. */
export function comparePositions(a: Position, b: Position): number {
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) {
    const [left, right] = [a.replace(/^0+(?=\d)/, ''), b.replace(/^0+(?=\d)/, '')];
    if (left.length !== right.length) return left.length - right.length;
    return left < right ? -1 : Number(left > right);
  }
  return a < b ? -1 : Number(a > b);
}

export const findLater = (a: Position | null, b: Position | null): Position | null =>
  a === null ? b : b === null ? a : comparePositions(a, b) < 0 ? b : a;

export const findEarlier = (a: Position, b: Position): Position => (comparePositions(a, b) < 0 ? a : b);

/** Converts a value of a record to its position; undefined if the value is not a position. */
export function toPosition(value: unknown, mark: WatermarkConfig): Position | undefined {
  if (mark.by === 'updated_at') {
    const at = readTime(value, mark);
    return at === undefined ? undefined : new Date(at).toISOString();
  }
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' && value.length <= 500 ? value : undefined;
}

/** Reads a position that a user entered. Throws a NodeError that says how to write it. */
export function readPosition(given: string | number, mark: WatermarkConfig): Position {
  const position = toPosition(given, mark);
  if (position !== undefined) return position;
  throw new NodeError(
    'INVALID_CONFIG',
    mark.by === 'updated_at'
      ? `${JSON.stringify(given)} is not a time; write it like 2026-01-31T12:00:00Z.`
      : `${JSON.stringify(given)} is not a position; give text or a whole number.`,
  );
}

/** The position at which a poll begins. A time is moved back by the overlap, because records may become visible late. */
export function beginningAt(watermark: Position | null, mark: WatermarkConfig): Position | null {
  if (watermark === null || mark.by !== 'updated_at') return watermark;
  const at = Date.parse(watermark) - mark.overlap_seconds * 1_000;
  return new Date(at - repeatedMs(at, mark)).toISOString();
}

/** False for a record before the beginning, which an earlier poll has handled. An API may return more records than were asked for. */
export function isAfter(position: Position, from: Position | null, { by }: WatermarkConfig): boolean {
  if (from === null) return true;
  const order = comparePositions(position, from);
  return by === 'id' ? order > 0 : order >= 0;
}

/** Writes a position for the request. */
export function writePosition(position: Position, mark: WatermarkConfig): string {
  const text = mark.by === 'updated_at' ? writeTime(Date.parse(position), mark) : position;
  return mark.template.replaceAll('{watermark}', () => text);
}
