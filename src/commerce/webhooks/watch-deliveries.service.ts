import type { Deps } from '#src/infra/deps.ts';
import type { LiveSink, OpenLive, Superseding } from '#src/infra/live/live-stream.ts';
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
    const watch = new DeliveryWatch(deps, { tenantId, destinationId }, sink);
    return { close: () => watch.close(), resume: () => watch.resume() };
  };

class DeliveryWatch {
  readonly #deps: Deps;
  readonly #tenantId: string;
  readonly #destinationId: number | null;
  readonly #sink: LiveSink<DeliveryChange>;
  readonly #openedAt = performance.now();
  readonly #unsubscribe: () => void;
  /** The last reported version of each delivery, and its time, the oldest first. */
  readonly #reported = new Map<number, Pick<Delivery, 'version' | 'updatedAt'>>();
  /** Deliveries that were read, and are reported as soon as the reader has room. */
  readonly #ready: Delivery[] = [];
  #notices: DeliveryNotice[] = [];
  #isStarted: boolean;
  #isBehind = false;
  #isReading = false;
  #hasRoom = true;
  #isClosed = false;

  constructor(
    deps: Deps,
    { tenantId, destinationId }: { tenantId: string; destinationId: number | null },
    sink: LiveSink<DeliveryChange>,
  ) {
    this.#deps = deps;
    this.#tenantId = tenantId;
    this.#destinationId = destinationId;
    this.#sink = sink;
    this.#isStarted = destinationId === null;
    const key = destinationId === null ? tenantId : `${tenantId}/${destinationId}`;
    this.#unsubscribe = deps.live.subscribe(deliveriesChannel, key, {
      onEntry: (notice) => this.#receive(notice),
      onResync: () => this.#fallBehind(),
    });
    if (!this.#isStarted) void this.#start();
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
  }

  resume(): void {
    if (this.#hasRoom) return;
    this.#hasRoom = true;
    void this.#readAll();
  }

  #receive(notice: DeliveryNotice): void {
    this.#notices.push(notice);
    if (this.#notices.length > maxNotices) this.#notices = gatherNotices(this.#notices, maxNotices / 2);
    void this.#readAll();
  }

  #fallBehind(): void {
    this.#isBehind = true;
    void this.#readAll();
  }

  async #start(): Promise<void> {
    this.#ready.push(...(await this.#readNewest({ pending: true, most: present })));
    this.#isStarted = true;
    await this.#readAll();
  }

  async #readAll(): Promise<void> {
    if (!this.#isStarted || this.#isReading) return;
    this.#isReading = true;
    while (!this.#isClosed && this.#hasRoom) {
      const next = this.#ready.shift();
      if (next) this.#report(next);
      else if (this.#isBehind) await this.#readMissed();
      else {
        const notice = this.#notices.shift();
        if (!notice) break;
        await this.#readChanged(notice);
      }
    }
    this.#isReading = false;
  }

  #report(delivery: Delivery): void {
    const { id, version, updatedAt } = delivery;
    const known = this.#reported.get(id);
    // A version falls back when a failover loses the last commits; its time then still increases.
    if (known && known.version >= version && (known.version === version || known.updatedAt >= updatedAt)) return;
    this.#reported.delete(id);
    if (this.#reported.size >= remembered) this.#reported.delete(this.#reported.keys().next().value as number);
    this.#reported.set(id, { version, updatedAt });
    this.#hasRoom = this.#sink.event({ delivery, supersedes: `webhook-delivery/${id}` });
  }

  async #readChanged([, to, from, last]: DeliveryNotice): Promise<void> {
    const range = { destinationId: to, from, to: last, most: readAtOnce };
    const rows = await this.#read(() =>
      findChanged(this.#deps.database, this.#tenantId, { ...range, withinMs: this.#openMs + noticeMs }),
    );
    this.#ready.push(...rows);
    const end = rows.length === readAtOnce ? rows.at(-1) : undefined;
    if (end) this.#notices.unshift([this.#tenantId, to, end.id + 1, last]);
  }

  async #readMissed(): Promise<void> {
    this.#isBehind = false;
    const rows = await this.#readNewest({ pending: false, most: caughtUp });
    // Deliveries not yet reported existed before the subscription; only those changed since then are reported.
    this.#ready.push(...rows.filter((row) => this.#reported.has(row.id) || row.ageMs <= this.#openMs));
  }

  #readNewest(options: { pending: boolean; most: number }) {
    const newest = { destinationId: this.#destinationId, ...options };
    return this.#read(() => findNewest(this.#deps.database, this.#tenantId, newest));
  }

  /** Retries until the database answers or the watch is closed. */
  async #read<Row>(read: () => Promise<Row[]>): Promise<Row[]> {
    const rows = await readUntilAnswered(
      read,
      () => this.#isClosed,
      (error) => this.#deps.log.warn({ err: error }, 'The changed webhook deliveries could not be read.'),
    );
    return rows ?? [];
  }

  /** How long the view has been open. The age of a change comes from the database, because its clock may differ. */
  get #openMs(): number {
    return performance.now() - this.#openedAt;
  }
}
