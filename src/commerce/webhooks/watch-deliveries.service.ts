import type { Deps } from '#src/infra/deps.ts';
import type { OpenLive, Superseding } from '#src/infra/live/live-stream.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import type { Delivery } from './deliveries.inputs.ts';
import { findChanged, findNewest } from './deliveries.reads.ts';
import { deliveriesChannel, type DeliveryNotice, gatherNotices } from './delivery-changes.service.ts';

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
/** When more notices than this wait, they are merged: to one for each destination if necessary, of which a tenant has at most 250. */
const maxNotices = 1_000;
/**
 * A notice arrives within this time after its change: statements end after 30 s, and many deliveries are changed by one statement, or few.
 */
const noticeMs = 60_000;

/**
 * Changes of a tenant's deliveries in order, each read when its notice arrives and the reader has room; earlier changes are part of the
 * first read. For one destination, it begins with the deliveries that wait for it. It ends only when its reader leaves.
 */
export const watchDeliveries =
  (deps: Deps, tenantId: string, destinationId: number | null): OpenLive<DeliveryChange> =>
  (sink) => {
    /** The last reported version of each delivery, and its time, the oldest first. */
    const told = new Map<number, Pick<Delivery, 'version' | 'updatedAt'>>();
    let changed: DeliveryNotice[] = [];
    /** Deliveries that were read, and are reported as soon as the reader has room. */
    const ready: Delivery[] = [];
    const openedAt = performance.now();
    /** How long the view has been open. The age of a change comes from the database, because its clock may differ. */
    const openMs = (): number => performance.now() - openedAt;
    let isBehind = false;
    let isReading = false;
    let hasRoom = true;
    let closed = false;

    function tell(delivery: Delivery): void {
      const { id, version, updatedAt } = delivery;
      const known = told.get(id);
      // A version falls back when a failover loses the last commits; its time then still increases.
      if (known && known.version >= version && (known.version === version || known.updatedAt >= updatedAt)) return;
      told.delete(id);
      if (told.size >= remembered) told.delete(told.keys().next().value as number);
      told.set(id, { version, updatedAt });
      hasRoom = sink.event({ delivery, supersedes: `webhook-delivery/${id}` });
    }

    async function again<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
      return readUntilAnswered(
        read,
        () => closed,
        (error) => deps.log.warn({ err: error }, 'The changed webhook deliveries could not be read.'),
      );
    }

    async function readChanged([, to, from, last]: DeliveryNotice): Promise<void> {
      const range = { destinationId: to, from, to: last, most: readAtOnce };
      const rows = await again(() => findChanged(deps.database, tenantId, { ...range, withinMs: openMs() + noticeMs }));
      ready.push(...(rows ?? []));
      const end = rows?.length === readAtOnce ? rows.at(-1) : undefined;
      if (end) changed.unshift([tenantId, to, end.id + 1, last]);
    }

    async function readMissed(): Promise<void> {
      isBehind = false;
      const newest = { destinationId, pending: false, most: caughtUp };
      const rows = await again(() => findNewest(deps.database, tenantId, newest));
      // Deliveries not yet reported existed before the subscription; only those changed since then are reported.
      ready.push(...(rows ?? []).filter((row) => told.has(row.id) || row.ageMs <= openMs()));
    }

    async function readAll(): Promise<void> {
      if (isReading) return;
      isReading = true;
      const mayTell = (): boolean => !closed && hasRoom;
      while (mayTell()) {
        const next = ready.shift();
        if (next) tell(next);
        else if (isBehind) await readMissed();
        else {
          const notice = changed.shift();
          if (!notice) break;
          await readChanged(notice);
        }
      }
      isReading = false;
    }

    let begun = destinationId === null;
    const detach = deps.live.subscribe(
      deliveriesChannel,
      destinationId === null ? tenantId : `${tenantId}/${destinationId}`,
      {
        onEntry(notice) {
          changed.push(notice);
          if (changed.length > maxNotices) changed = gatherNotices(changed, maxNotices / 2);
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
      ready.push(...(rows ?? []));
      begun = true;
      await readAll();
    }

    if (!begun) void begin();
    return {
      close() {
        closed = true;
        detach();
      },
      resume() {
        if (hasRoom) return;
        hasRoom = true;
        if (begun) void readAll();
      },
    };
  };
