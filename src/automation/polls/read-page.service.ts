import { type JsonPath, valueAt } from '#src/automation/http-calls/json-path.ts';
import { findItems, type Page, placeAfter } from '#src/automation/http-calls/next-place.ts';
import { firstPlace } from '#src/automation/http-calls/page-source.ts';
import type { Paging } from '#src/automation/http-calls/paging-forms.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { OpenList } from './list-source.service.ts';
import type { PollConfig } from './polls.inputs.ts';
import { type Position, writePosition } from './positions.rules.ts';
import { readRecords } from './records.rules.ts';
import { askedOffset, type Sweep, type SweptPage } from './sweep.rules.ts';

/** The most records on a page. With more, the transaction of the page would take too long. */
const maxRecords = 10_000;

/** The list in the answer, at the place that the poll names, or else the paging of the node. */
export function listItems({ items }: PollConfig, paging: Paging | undefined, body: unknown): unknown[] {
  if (typeof body !== 'string') return findItems(body, items ?? paging?.items, 'items');
  // A proxy answers with text while the API behind it is down.
  const message = 'The API answered text instead of JSON. Is the address right, or is the API down for maintenance?';
  throw new NodeError('POLL_ANSWER', message, { retryable: true });
}

/** Reads the current page of a sweep. Throws a NodeError if the answer is not a page of records. */
export async function readSweptPage(
  config: PollConfig,
  open: OpenList,
  sweep: Sweep,
  signal: AbortSignal,
): Promise<SweptPage> {
  const { watermark } = config;
  const source = await open(sweep.bound, signal);
  const { paging, url } = source;
  const page = await source.read(toPlace(config, paging, sweep), sweep.total + 1);
  const items = listItems(config, paging, page.body);
  if (items.length > maxRecords)
    throw new NodeError('POLL_PAGE', `A page has more than ${maxRecords} records; ask for smaller pages.`);
  return {
    records: readRecords(config, items),
    cursor: watermark.by === 'cursor' ? readCursor(watermark.field, paging, page) : undefined,
    paging: paging?.by,
    start: firstOffset(paging),
    next: (found, progress) => paging && url && placeAfter(paging, page, url, found === 0 ? [] : items, progress),
  };
}

const firstOffset = (paging: Paging | undefined): number => Number(firstPlace(paging).value ?? 0);

function toPlace({ watermark }: PollConfig, paging: Paging | undefined, sweep: Sweep) {
  if (paging?.by === 'offset') return { value: askedOffset(sweep, paging.start) };
  // If no parameter takes the cursor, the paging of the node sends it.
  if (watermark.by === 'cursor' && watermark.param == null && sweep.place === null && sweep.bound !== null)
    return { value: writePosition(sweep.bound, watermark) };
  return sweep.place ?? firstPlace(paging);
}

function readCursor(
  field: JsonPath | null | undefined,
  paging: Paging | undefined,
  { body }: Page,
): Position | undefined {
  const path = field ?? (paging?.by === 'cursor' ? paging.cursor : undefined);
  if (path === undefined)
    throw new NodeError('INVALID_CONFIG', 'watermark.field: is required, as the node has no paging by cursor.');
  const found = valueAt(body, path);
  const value = 'value' in found ? found.value : undefined;
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}
