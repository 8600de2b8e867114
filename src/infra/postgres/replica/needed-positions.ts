import { createLookup } from '#src/infra/postgres/batching/lookup.ts';
import { later, type WalPosition } from './wal-position.ts';

/** A replica that is further behind answers nothing. */
const longestLagMs = 2_000;
/** The primary is asked for its position this often while replicas are read. */
const sampleMs = 500;

interface Sample {
  at: number;
  position: WalPosition;
}

/**
 * How far a replica must have replayed the log of the primary for a tenant: past the writes of the tenant that this process knows of, and
 * past all that is older than two seconds. What was written is asked for when it is read, so a write costs nothing; readers that ask
 * together share the question. Positions that every reader needs anyway are forgotten.
 */
export class NeededPositions {
  readonly #ask: () => Promise<WalPosition>;
  readonly #samples: Sample[] = [];
  /** Tenants that were written since their position was asked for. */
  readonly #written = new Set<string>();
  readonly #asking = new Map<string, Promise<WalPosition>>();
  readonly #known = new Map<string, WalPosition>();

  /** `read` asks the primary for its present position. */
  constructor(read: () => Promise<WalPosition>) {
    const lookup = createLookup<null, WalPosition>({
      toKey: () => '',
      read: async (items) => {
        const at = performance.now();
        const position = await read();
        this.#keep({ at, position });
        return items.map(() => position);
      },
    });
    this.#ask = () => lookup(null);
  }

  /** The tenant was written by this process, or it heard of a write. */
  wrote(tenantId: string): void {
    this.#written.add(tenantId);
  }

  /** The tenant was written up to this position, by another process. */
  heard(tenantId: string, position: WalPosition): void {
    const newest = this.newest();
    // Bytes of two timelines cannot be compared.
    if (newest === undefined || newest.timeline !== position.timeline) return this.wrote(tenantId);
    this.#know(tenantId, position);
  }

  /** The newest position of the primary that is known. */
  newest(): WalPosition | undefined {
    return this.#samples.at(-1)?.position;
  }

  /** The present position of the primary. */
  now(): Promise<WalPosition> {
    return this.#ask();
  }

  /** The position that every reader needs, whatever its tenant; undefined while nobody knows where the primary was two seconds ago. */
  floor(): WalPosition | undefined {
    const now = performance.now();
    if (now - (this.#samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY) > sampleMs)
      void this.#ask().catch(() => undefined);
    return this.#samples.find(({ at }) => now - at <= longestLagMs)?.position;
  }

  /** The position that a reader of the tenant needs beyond `floor`, if any. Rejects where the primary does not say it. */
  async ofTenant(tenantId: string): Promise<WalPosition | undefined> {
    if (this.#written.delete(tenantId)) {
      const asked = this.#ask();
      this.#asking.set(tenantId, asked);
      asked.then(
        (position) => {
          if (this.#asking.get(tenantId) !== asked) return;
          this.#asking.delete(tenantId);
          this.#know(tenantId, position);
        },
        () => {
          if (this.#asking.get(tenantId) === asked) this.#asking.delete(tenantId);
          this.#written.add(tenantId);
        },
      );
    }
    // A write that was heard of meanwhile may be later than the answer.
    const position = await this.#asking.get(tenantId);
    const known = this.#known.get(tenantId);
    return position && known ? later(position, known) : (position ?? known);
  }

  #know(tenantId: string, position: WalPosition): void {
    const known = this.#known.get(tenantId);
    this.#known.set(tenantId, known ? later(known, position) : position);
  }

  #keep(sample: Sample): void {
    const newest = this.#samples.at(-1);
    if (newest && newest.position.timeline !== sample.position.timeline) {
      this.#samples.length = 0;
      for (const tenantId of this.#known.keys()) this.#written.add(tenantId);
      this.#known.clear();
    }
    // Reads of what was just written ask much more often.
    if (this.#samples.length === 0 || !newest || sample.at - newest.at >= sampleMs / 2) this.#samples.push(sample);
    while (this.#samples.length > 1 && sample.at - (this.#samples[0] as Sample).at > longestLagMs)
      this.#samples.shift();
    const [oldest] = this.#samples;
    for (const [tenantId, { byte }] of this.#known)
      if (oldest && byte <= oldest.position.byte) this.#known.delete(tenantId);
  }
}
