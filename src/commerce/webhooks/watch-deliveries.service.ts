import type { Deps } from '#src/infra/deps.ts';
import type { OpenLive, Superseding } from '#src/infra/live/live-stream.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import type { Delivery } from './deliveries.inputs.ts';
import { findDeliveries, findNewest } from './deliveries.reads.ts';
import { deliveriesChannel } from './delivery-changes.service.ts';

/** A delivery at one version. */
export interface DeliveryChange extends Superseding {
  delivery: Delivery;
}

/** The most deliveries that a subscription to a destination begins with. */
const present = 100;
/** After a lost connection, missed changes are read for this many of the newest deliveries. */
const caughtUp = 1_000;
const remembered = 10_000;
const readAtOnce = 500;

/**
 * Changes of a tenant's deliveries in order, each read when its notice comes; changes during a read are in the next one. For one
 * destination, it begins with the deliveries that wait for it. It ends only when its reader leaves.
 */
export const watchDeliveries =
  (deps: Deps, tenantId: string, destinationId: number | null): OpenLive<DeliveryChange> =>
  (sink) => {
    /** The last version of each that was reported, the oldest first. */
    const told = new Map<number, number>();
    const changed = new Set<number>();
    let isBehind = false;
    let isReading = false;
    let closed = false;

    function tell(delivery: Delivery): void {
      const { id, version } = delivery;
      if (closed || (told.get(id) ?? 0) >= version) return;
      told.delete(id);
      if (told.size >= remembered) told.delete(told.keys().next().value as number);
      told.set(id, version);
      sink.event({ delivery, supersedes: `webhook-delivery/${id}` });
    }

    async function again<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
      return readUntilAnswered(
        read,
        () => closed,
        (error) => deps.log.warn({ err: error }, 'The changed webhook deliveries could not be read.'),
      );
    }

    async function readAll(): Promise<void> {
      if (isReading) return;
      isReading = true;
      const hasMore = (): boolean => !closed && (changed.size > 0 || isBehind);
      while (hasMore()) {
        if (isBehind) {
          isBehind = false;
          const newest = { destinationId, pending: false, most: caughtUp };
          const rows = await again(() => findNewest(deps.database, tenantId, newest));
          // Deliveries not yet reported existed before the subscription; only those changed since then are reported.
          for (const row of rows ?? []) if (told.has(row.id) || row.updatedAt >= since) tell(row);
        }
        const ids = [...changed].slice(0, readAtOnce);
        for (const id of ids) changed.delete(id);
        const rows = ids.length > 0 ? await again(() => findDeliveries(deps.database, tenantId, ids)) : [];
        const byId = new Map(rows?.map((row) => [row.id, row]));
        for (const id of ids) {
          const row = byId.get(id);
          if (row) tell(row);
        }
      }
      isReading = false;
    }

    const since = new Date();
    let begun = destinationId === null;
    const detach = deps.live.subscribe(
      deliveriesChannel,
      destinationId === null ? tenantId : `${tenantId}/${destinationId}`,
      {
        onEntry([, , ...ids]) {
          for (const id of ids) changed.add(id);
          if (begun) void readAll();
        },
        onResync() {
          isBehind = true;
          if (begun) void readAll();
        },
      },
    );

    async function begin(): Promise<void> {
      const newest = { destinationId, pending: true, most: present };
      const rows = await again(() => findNewest(deps.database, tenantId, newest));
      for (const row of rows ?? []) tell(row);
      begun = true;
      await readAll();
    }

    if (!begun) void begin();
    return {
      close() {
        closed = true;
        detach();
      },
    };
  };
