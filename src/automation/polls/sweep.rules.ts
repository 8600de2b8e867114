import { createHash } from 'node:crypto';
import type { Place } from '#src/automation/http-calls/next-place.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { WatermarkConfig } from './polls.inputs.ts';
import { beginningAt, comparePositions, findEarlier, findLater, type Position } from './positions.rules.ts';
import type { PolledRecord } from './records.rules.ts';

/** A pass through the list from the watermark to its end. It is stored after each page, so that another worker can continue it. */
export interface Sweep {
  /** When the sweep began, by the database's clock; ISO 8601. */
  startedAt: string;
  /** Records before this position have been handled. */
  from: Position | null;
  /** The watermark in the request. */
  bound: Position | null;
  /** The page of that request; null for the first one. */
  place: Place | null;
  /** The numbers of pages and records of that request that have been handled. */
  pages: number;
  items: number;
  /** The greatest position so far. */
  max: Position | null;
  /** The last records of the previous page, which the next page has to repeat; only if the list is paged by offset. */
  anchors: string[];
  /** How often the reading has gone back since it last advanced. */
  backs: number;
  /** The number of pages of the whole sweep. */
  total: number;
  /** The state of Brent's algorithm: the hash of a page that must not come again, and the steps until the next page replaces it. */
  mark: string | null;
  steps: number;
  power: number;
}

/** The parts of a page that the sweep needs. */
export interface SweptPage {
  records: readonly PolledRecord[];
  /** The cursor of the next page, if the watermark is a cursor. */
  cursor?: Position | undefined;
  /** The place after this page, given the new records and the pages and items of the request so far; undefined at the end. */
  next(found: number, progress: { pages: number; items: number }): Place | undefined;
  /** How the list is paged; undefined if it is not. */
  paging: 'next_link' | 'cursor' | 'offset' | 'page' | 'search_after' | undefined;
  /** The value of the first offset. */
  start: number;
}

/** The state after a page. `sweep` is null at the end of the list. */
export interface Swept {
  sweep: Sweep | null;
  watermark: Position | null;
}

/** A list that is longer probably never ends. */
const maxPages = 100_000;
const maxBacks = 40;
const maxAnchors = 8;

export const beginSweep = (watermark: Position | null, mark: WatermarkConfig, startedAt: string): Sweep => {
  const from = beginningAt(watermark, mark);
  return { startedAt, from, bound: from, max: null, total: 0, ...firstPage };
};

const firstPage = { place: null, pages: 0, items: 0, anchors: [], backs: 0, mark: null, steps: 0, power: 1 };

/** True if each page is requested from the last position, so that no row is missed when others move. */
export const isKeyset = ({ order, param, format, by }: WatermarkConfig): boolean =>
  order === 'ascending' && param != null && !(by === 'updated_at' && format === 'date');

/** The state after a page whose records are handled. Throws a NodeError for a list that cannot be read without gaps. */
export function advance(mark: WatermarkConfig, watermark: Position | null, given: Sweep, page: SweptPage): Swept {
  const sweep = { ...given, total: given.total + 1 };
  if (sweep.total > maxPages) throw loop(`The list has more than ${maxPages} pages, and is given up.`);
  if (mark.by === 'cursor') return followCursor(watermark, sweep, page);
  assertSafe(mark, page);
  const max = maxPosition(page.records);
  const top = findLater(sweep.max, max);
  const done = (): Swept => ({ sweep: null, watermark: findLater(watermark, settled(mark, given, top)) });
  const isProgress = max !== null && (sweep.bound === null || comparePositions(max, sweep.bound) > 0);
  const read = findNew(sweep, page);
  if (read === 'moved') return { sweep: { ...sweep, max: top, ...goBack(sweep, page) }, watermark };
  const next = page.next(read.found, read.progress);
  if (next !== undefined) assertHonoured(mark, sweep, max);
  if (isKeyset(mark) && isProgress) {
    // Rows that were written after the sweep began are left to the next poll. Otherwise a sweep of a busy list would never end.
    const isUpToDate = mark.by === 'updated_at' && comparePositions(max, sweep.startedAt) >= 0;
    if (isUpToDate || (page.paging !== undefined && next === undefined)) return done();
    const reached = findLater(watermark, settled(mark, given, max));
    return { sweep: { ...sweep, max: top, bound: max, ...firstPage }, watermark: reached };
  }
  const isPast = mark.order === 'descending' && page.records.length > 0 && isBefore(max, sweep.from);
  if (next === undefined || isPast) return done();
  const anchors = page.paging === 'offset' ? lastIdentities(page.records) : [];
  return {
    sweep: { ...sweep, max: top, place: next, ...read.progress, anchors, backs: 0, ...guardLoop(sweep, page.records) },
    watermark,
  };
}

const isBefore = (position: Position | null, from: Position | null): boolean =>
  position !== null && from !== null && comparePositions(position, from) < 0;

/**
 * The position to which the watermark may move, at most the begin of the sweep: a record that became visible later can only be older than
 * that by the overlap. So a time in the future, from another zone or a wrong clock, does not move the watermark into the future.
 */
const settled = ({ by }: WatermarkConfig, { startedAt }: Sweep, top: Position | null): Position | null =>
  top === null || by !== 'updated_at' ? top : findEarlier(top, startedAt);

const maxPosition = (records: readonly PolledRecord[]): Position | null =>
  records.reduce<Position | null>((max, { position = null }) => findLater(max, position), null);

/** Continues with the pages of a paged request, and then with the cursor. */
function followCursor(watermark: Position | null, sweep: Sweep, page: SweptPage): Swept {
  const { cursor, records, paging } = page;
  const progress = { pages: sweep.pages + 1, items: sweep.items + records.length };
  const next = page.next(records.length, progress);
  const guard = guardLoop(sweep, records);
  if (paging !== 'cursor' && next !== undefined)
    return { sweep: { ...sweep, place: next, ...progress, ...guard }, watermark };
  const isLast = paging === 'cursor' ? next === undefined : records.length === 0;
  if (isLast || cursor === undefined || cursor === sweep.bound) return { sweep: null, watermark: cursor ?? watermark };
  return { sweep: { ...sweep, ...firstPage, ...guard, bound: cursor }, watermark: cursor };
}

function assertSafe(mark: WatermarkConfig, { paging, records }: SweptPage): void {
  if (paging === 'page' && !isKeyset(mark)) {
    throw new NodeError(
      'POLL_UNSAFE',
      'A list that is read by page numbers can lose records while others move. Let the API sort it, and set watermark.order to "ascending" and watermark.param.',
    );
  }
  if (mark.order === 'none') return;
  const isWrong = records.some(({ position }, index) => {
    const before = records[index - 1]?.position;
    if (before === undefined || position === undefined) return false;
    const order = comparePositions(before, position);
    return mark.order === 'ascending' ? order > 0 : order < 0;
  });
  if (isWrong) {
    throw new NodeError(
      'POLL_ORDER',
      `The list is not sorted by watermark.field, ${mark.order}. Ask the API to sort it, or set watermark.order to "none".`,
    );
  }
}

/** An API may read only the day of a time, or take it for one of another zone. */
const toleranceMs = 48 * 60 * 60 * 1_000;

/**
 * Refuses an API that answers a request from a position with the begin of the list. Each page would be read from there again, and the number
 * of requests would grow with the square of the list.
 */
function assertHonoured(mark: WatermarkConfig, { bound, place }: Sweep, max: Position | null): void {
  if (!isKeyset(mark) || bound === null || place !== null || max === null) return;
  const least = mark.by === 'updated_at' ? new Date(Date.parse(bound) - toleranceMs).toISOString() : bound;
  if (comparePositions(max, least) >= 0) return;
  throw new NodeError(
    'POLL_IGNORED',
    `The API was asked for records from ${bound} on, and answered a page that ends at ${max}, so it does not read ${placeName(mark)}. Correct watermark.param or watermark.template.`,
  );
}

const placeName = ({ param }: WatermarkConfig): string => (Array.isArray(param) ? param.join('.') : (param ?? ''));

const lastIdentities = (records: readonly PolledRecord[]): string[] =>
  records.slice(-Math.min(maxAnchors, Math.floor(records.length / 2))).map(({ identity }) => identity);

/**
 * The number of records after the anchors, and the progress including them. `moved` if no anchor is on the page: rows before it were removed,
 * so that others may have been skipped.
 */
function findNew(
  sweep: Sweep,
  { records, start }: SweptPage,
): 'moved' | { found: number; progress: { pages: number; items: number } } {
  const { anchors, pages, items } = sweep;
  if (anchors.length === 0)
    return { found: records.length, progress: { pages: pages + 1, items: items + records.length } };
  const known = new Set(anchors);
  const last = records.findLastIndex(({ identity }) => known.has(identity));
  if (last < 0) return 'moved';
  const reached = askedOffset(sweep, start) - start + records.length;
  // At the end of the list, the page has only the anchors, or rows that were inserted before them.
  const found = reached > items ? Math.max(1, records.length - last - 1) : 0;
  return { found, progress: { pages: pages + 1, items: reached } };
}

/** The offset to read from, so that the page repeats the anchors. */
export const askedOffset = ({ place, anchors }: Pick<Sweep, 'place' | 'anchors'>, start: number): number =>
  Math.max(start, Number(place?.value ?? start) - anchors.length);

/** Goes back, by twice as much each time. At the first row, no anchors are needed. */
function goBack(sweep: Sweep, { records, start }: SweptPage): Partial<Sweep> {
  const { backs } = sweep;
  if (backs >= maxBacks) {
    throw new NodeError(
      'POLL_MOVING',
      'The list changes faster than it can be read. Let the API sort it, and set watermark.order to "ascending".',
      { retryable: true },
    );
  }
  const offset = askedOffset(sweep, start) - Math.max(1, records.length) * 2 ** Math.min(backs, 20);
  const guard = { mark: null, steps: 0, power: 1, backs: backs + 1 };
  return offset <= start ? { ...firstPage, ...guard } : { ...guard, place: { value: offset }, items: offset - start };
}

const loop = (message: string): NodeError => new NodeError('PAGING_LOOP', message);

/** Brent's algorithm: finds a cycle of pages of any length, with the memory of one page. */
function guardLoop(
  { mark, steps, power }: Sweep,
  records: readonly PolledRecord[],
): Pick<Sweep, 'mark' | 'steps' | 'power'> {
  if (records.length === 0) return { mark, steps, power };
  const hash = createHash('sha256');
  for (const { identity } of records) hash.update(identity);
  const page = hash.digest().subarray(0, 12).toString('base64url');
  if (page === mark)
    throw loop('Paging does not advance: the same page came twice. Check the parameter that paging names.');
  return steps + 1 >= power ? { mark: page, steps: 0, power: power * 2 } : { mark, steps: steps + 1, power };
}
