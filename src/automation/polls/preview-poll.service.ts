import { placeAfter } from '#src/automation/http-calls/next-place.ts';
import { firstPlace } from '#src/automation/http-calls/page-source.ts';
import { createKnownSecrets } from '#src/infra/logs/known-secrets.ts';
import { type ListDeps, openList } from './list-source.service.ts';
import { faultSentence } from './poll-failures.service.ts';
import { startPosition } from './poll-faults.rules.ts';
import type { PollConfig } from './polls.inputs.ts';
import { beginningAt } from './positions.rules.ts';
import { listItems } from './read-page.service.ts';
import { type PolledRecord, readRecord } from './records.rules.ts';
import { advance, beginSweep } from './sweep.rules.ts';

export interface PreviewedRecord {
  value: unknown;
  key: string | null;
  /** The record's own position. */
  watermark: string | null;
  fault: string | null;
}

export interface PollPreview {
  /** The reason why a poll with this config would fail. */
  fault: string | null;
  /** The position at which the first poll begins; null for the start of the list. */
  from: string | null;
  /** The number of records on the page, including those that are not shown. */
  count: number;
  /** True if the list has further pages. */
  hasMore: boolean;
  records: PreviewedRecord[];
}

const shownRecords = 20;
const timeoutMs = 20_000;

/** Reads the first page of a poll and fires nothing. The poll need not exist; the caller has validated the config. */
export async function previewPoll(deps: ListDeps, tenantId: string, config: PollConfig): Promise<PollPreview> {
  const { watermark: mark } = config;
  const secrets = createKnownSecrets();
  const from = beginningAt(startPosition(mark), mark);
  const preview: PollPreview = { fault: null, from, count: 0, hasMore: false, records: [] };
  try {
    const open = await openList(deps, config, { tenantId, secrets });
    const source = await open(from, AbortSignal.timeout(timeoutMs));
    const { paging, url } = source;
    const page = await source.read(firstPlace(paging), 1);
    const items = listItems(config, paging, page.body);
    preview.count = items.length;
    const read = items.map((item) => readRecord(config, item));
    preview.records = read.slice(0, shownRecords).map((record, index) => ({
      value: secrets.value(items[index]),
      ...('fault' in record
        ? { key: null, watermark: null, fault: secrets.text(record.fault) }
        : { key: secrets.text(record.key), watermark: record.position ?? null, fault: null }),
    }));
    const next = paging && url && placeAfter(paging, page, url, items, { pages: 1, items: items.length });
    preview.hasMore = next !== undefined;
    const records = read.filter((record): record is PolledRecord => !('fault' in record));
    advance(mark, null, beginSweep(null, mark, new Date().toISOString()), {
      records,
      paging: paging?.by,
      start: Number(firstPlace(paging).value ?? 0),
      next: () => next,
    });
    const faulty = read.find((record) => 'fault' in record);
    preview.fault = faulty === undefined ? null : secrets.text(faulty.fault);
  } catch (error) {
    const sentence = faultSentence(error);
    if (sentence === undefined) throw error;
    preview.fault = secrets.text(sentence);
  }
  return preview;
}
