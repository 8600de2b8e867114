import type { Deps } from '#src/infra/deps.ts';
import { type ListEvent, maxRemembered, reloadEvent } from '#src/infra/live/lists/list-view.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import type { Delivery } from './deliveries.inputs.ts';
import { findNewest } from './deliveries.reads.ts';
import { watchDeliveries } from './watch-deliveries.service.ts';

/**
 * The list of a tenant's deliveries: `reload` once changes are followed, so that a reader who then reads the list misses none, and each
 * change from then on. A delivery that is newer than the newest of the beginning counts as added when it is reported first.
 */
export const followDeliveries =
  (deps: Deps, tenantId: string): OpenLive<ListEvent<Delivery>> =>
  (sink) => {
    let isClosed = false;
    /** The newest delivery when the list was followed; undefined until it is known. */
    let newest: number | undefined;
    const added = new Set<number>();

    const toEvent = (delivery: Delivery, known: number): ListEvent<Delivery> => {
      const { id } = delivery;
      const isNew = id > known && !added.has(id);
      if (isNew) {
        if (added.size >= maxRemembered) added.delete(added.values().next().value as number);
        added.add(id);
      }
      const change = isNew ? 'added' : 'changed';
      return { change, id, row: async () => delivery, supersedes: `row/${id}` };
    };

    const source = watchDeliveries(
      deps,
      tenantId,
      null,
    )({
      // Before, the list has not been read yet, so it will contain the change.
      event: ({ delivery }) => newest === undefined || sink.event(toEvent(delivery, newest)),
      end: sink.end,
    });

    async function begin(): Promise<void> {
      const rows = await readUntilAnswered(
        () => findNewest(deps.database, tenantId, { destinationId: null, pending: false, most: 1 }),
        () => isClosed,
        (error) => deps.log.warn({ err: error }, 'The newest webhook delivery could not be read.'),
      );
      if (!rows) return;
      newest = rows[0]?.id ?? 0;
      sink.event(reloadEvent);
    }

    void begin();
    return {
      ...source,
      close() {
        isClosed = true;
        source.close();
      },
    };
  };
