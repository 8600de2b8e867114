import type { Deps } from '#src/infra/deps.ts';
import type { OpenLive, Superseding } from '#src/infra/live/live-stream.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import type { Delivery } from './deliveries.inputs.ts';
import { findChanged, findNewest } from './deliveries.reads.ts';
import { deliveriesChannel, type DeliveryNotice } from './delivery-changes.service.ts';

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
/** Of more notices than this that wait, the newest deliveries are read instead. */
const mostNotices = 1_000;
/** The clocks of this process and of the database may differ by so much: what changed before that is not reported. */
const clocksDifferMs = 60_000;

/**
 * Changes of a tenant's deliveries in order, each read when its notice comes; changes during a read are in the next one. For one
 * destination, it begins with the deliveries that wait for it. It ends only when its reader leaves.
 */
export const watchDeliveries =
  (deps: Deps, tenantId: string, destinationId: number | null): OpenLive<DeliveryChange> =>
  (sink) => {
    /** The last version of each that was reported, the oldest first. */
    const told = new Map<number, number>();
    let changed: DeliveryNotice[] = [];
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

    async function readChanged([, to, from, last]: DeliveryNotice): Promise<void> {
      const range = { destinationId: to, from, to: last, since, most: readAtOnce };
      const rows = await again(() => findChanged(deps.database, tenantId, range));
      for (const row of rows ?? []) tell(row);
      const end = rows?.length === readAtOnce ? rows.at(-1) : undefined;
      if (end) changed.unshift([tenantId, to, end.id + 1, last]);
    }

    async function readAll(): Promise<void> {
      if (isReading) return;
      isReading = true;
      const hasMore = (): boolean => !closed && (changed.length > 0 || isBehind);
      while (hasMore()) {
        if (isBehind) {
          isBehind = false;
          const newest = { destinationId, pending: false, most: caughtUp };
          const rows = await again(() => findNewest(deps.database, tenantId, newest));
          // Deliveries not yet reported existed before the subscription; only those changed since then are reported.
          for (const row of rows ?? []) if (told.has(row.id) || row.updatedAt >= since) tell(row);
        }
        const notice = changed.shift();
        if (notice) await readChanged(notice);
      }
      isReading = false;
    }

    const since = new Date(Date.now() - clocksDifferMs);
    let begun = destinationId === null;
    const detach = deps.live.subscribe(
      deliveriesChannel,
      destinationId === null ? tenantId : `${tenantId}/${destinationId}`,
      {
        onEntry(notice) {
          changed.push(notice);
          if (changed.length > mostNotices) {
            changed = [];
            isBehind = true;
          }
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
