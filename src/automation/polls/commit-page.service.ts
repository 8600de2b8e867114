import { accept, type Firing } from '#src/automation/firings/firings.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { type Deps, systemActor } from '#src/infra/deps.ts';
import { isStorable, storableJson } from '#src/infra/json.ts';
import type { KnownSecrets } from '#src/infra/logs/known-secrets.ts';
import { mapTexts } from '#src/infra/logs/redact.ts';
import type { PollConfig } from './polls.inputs.ts';
import { addKeys, holdPoll, movePoll, type TakenPoll } from './polls.store.ts';
import { isAfter } from './positions.rules.ts';
import type { PolledRecord } from './records.rules.ts';
import type { Sweep, SweptPage, Swept } from './sweep.rules.ts';

/** The error of a worker that no longer holds the poll, because another one took it or the trigger was changed. */
export class PollLostError extends Error {
  constructor() {
    super('The poll is no longer this worker’s.');
  }
}

export interface ReadPage {
  page: SweptPage;
  sweep: Sweep;
  swept: Swept;
}

/** The most firings of one transaction of `accept`. With more, each of its statements would take too long. */
const firingsPerStatement = 500;

/**
 * Fires the new records of a page, remembers them and stores the position, all in one transaction. If a worker dies, at most the page that it
 * was reading is read again, and none of its records is fired twice.
 */
export const commitPage = (
  deps: Pick<Deps, 'database'> & RunQueue,
  poll: TakenPoll,
  config: PollConfig,
  { page, sweep, swept, secrets }: ReadPage & { secrets: KnownSecrets },
): Promise<void> =>
  deps.database.withSystem(async (tx) => {
    if (!(await holdPoll(tx, poll))) throw new PollLostError();
    const wanted = new Map(
      page.records
        .filter(({ position }) => position === undefined || isAfter(position, sweep.from, config.watermark))
        .map((record) => [record.identity, record]),
    );
    const known = [...wanted.values()].map(({ identity, position }) => ({
      identity,
      at: config.watermark.by === 'updated_at' && position !== undefined ? new Date(position) : null,
    }));
    const fresh = known.length === 0 ? new Set<string>() : await addKeys(tx, poll, known);
    const records = [...wanted.values()].filter(({ identity }) => fresh.has(identity));
    const firings = toFirings(poll, config, records, secrets);
    for (let at = 0; at < firings.length; at += firingsPerStatement) {
      const answers = await accept(tx, deps, firings.slice(at, at + firingsPerStatement));
      // This rolls the transaction back. The trigger was switched off or deleted after this worker took the poll.
      if (answers.some(({ outcome }) => outcome !== 'run' && outcome !== 'dead_letter')) throw new PollLostError();
    }
    await movePoll(tx, poll, {
      sweep: swept.sweep && storableJson(swept.sweep, 'sweep'),
      watermark: swept.watermark,
      seen: page.records.length,
      fired: records.length,
    });
  });

function toFirings(
  { orgId, tenantId, handle, workflowId, now }: TakenPoll,
  { batch }: PollConfig,
  records: readonly PolledRecord[],
  secrets: KnownSecrets,
): Firing[] {
  const polledAt = now.toISOString();
  const values = records.map(({ value }) => secrets.value(storableValue(value)));
  const payloads =
    batch === 1
      ? values.map((record) => ({ polled_at: polledAt, record }))
      : Array.from({ length: Math.ceil(values.length / batch) }, (_, index) => ({
          polled_at: polledAt,
          records: values.slice(index * batch, (index + 1) * batch),
        }));
  const actor = systemActor(orgId, tenantId, 'schedule');
  return payloads.map((payload) => ({ actor, handle, type: 'poll', workflowId, payload, capture: true }));
}

/** Replaces characters that Postgres cannot store, so that a record with them does not block the records after it. */
const storableValue = (value: unknown): unknown =>
  isStorable(value) ? value : mapTexts(value, (text) => text.replaceAll('\0', '\uFFFD').toWellFormed());
