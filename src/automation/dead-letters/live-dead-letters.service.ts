import type { DeadLetter } from '#prisma/client.ts';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import { listenToRows, type LiveListDeps } from '#src/infra/live/lists/live-list-source.ts';
import { LiveList } from '#src/infra/live/lists/live-list.ts';
import { defineRowChannel } from '#src/infra/live/row-channel.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { deadLetterConditions, type DeadLetterFilter } from './bulk-dead-letters.store.ts';

export const deadLetterChangesChannel = defineRowChannel(channels.deadLetterChanges);

export interface LiveDeadLetterDeps {
  /** The followed lists, by tenant and filter. */
  liveDeadLetters: LiveList<DeadLetterFilter, DeadLetter>;
}

export const openLiveDeadLetters = (deps: LiveListDeps): LiveDeadLetterDeps['liveDeadLetters'] =>
  new LiveList(deps, {
    table: 'dead_letters',
    conditions: deadLetterConditions,
    listen: listenToRows(deps.live, deadLetterChangesChannel),
    async load(tenantId, ids) {
      const where = { tenantId, id: { in: ids.map(BigInt) } };
      const rows = await deps.database.reader(tenantId).deadLetter.findMany({ where });
      return new Map(rows.map((row) => [Number(row.id), row]));
    },
  });

/** Notifies of dead letters that were settled. */
export const notifyDeadLetters = (tx: Tx, tenantId: string, ids: readonly (number | bigint)[]): void =>
  tx.notify(
    channels.deadLetterChanges,
    ids.map((id) => [tenantId, Number(id)]),
  );
