import { isPlaceLost } from '#src/automation/polls/poll-failures.service.ts';
import { pollConfig, type PollConfig } from '#src/automation/polls/polls.inputs.ts';
import { beginningAt, isAfter } from '#src/automation/polls/positions.rules.ts';
import { readRecords } from '#src/automation/polls/records.rules.ts';
import {
  advance,
  askedOffset,
  beginSweep,
  type Sweep,
  type SweptPage,
  type Swept,
} from '#src/automation/polls/sweep.rules.ts';

interface Row {
  id: number;
  updated_at: string;
  revision: number;
  /** The time from which the list has the row, because its transaction may be committed after the time of the row. */
  visibleFrom: number;
}

export interface ListForm {
  order: PollConfig['watermark']['order'];
  paging: 'offset' | 'keyset';
  /** Records of a page. */
  size: number;
  /** Seconds by which a row's time may precede its commit; less than the overlap. */
  lag: number;
  /** Milliseconds to which the API rounds times down. */
  grain: number;
  /** The number of rows that are older than the first poll. */
  old: number;
}

const overlapSeconds = 60;

/** A list of an API, with a poll of it, in simulated time. Failures and kills lose what is not stored, as in the product. */
export class SimulatedList {
  now = Date.UTC(2026, 0, 1);
  readonly #form: ListForm;
  readonly #config: PollConfig;
  readonly #rows = new Map<number, Row>();
  #nextId = 1;
  #watermark: string | null = null;
  #sweep: Sweep | null = null;
  /** Identities that are remembered, with their times. */
  readonly #known = new Map<string, string>();
  /** How often each version of each row was fired. */
  readonly fired = new Map<string, number>();

  constructor(form: ListForm) {
    this.#form = form;
    this.#config = pollConfig.parse({
      node: { slug: 'core:http-request' },
      key: 'id',
      watermark: {
        by: 'updated_at',
        field: 'updated_at',
        param: 'since',
        order: form.order,
        overlap_seconds: overlapSeconds,
      },
      interval_seconds: 60,
    });
    for (let row = 0; row < form.old; row += 1) this.insert();
    this.now += 600_000;
  }

  insert(): void {
    this.#write(this.#nextId++, 1);
  }

  update(at: number): void {
    const row = this.#pick(at);
    if (row) this.#write(row.id, row.revision + 1);
  }

  remove(at: number): void {
    const row = this.#pick(at);
    if (row) this.#rows.delete(row.id);
  }

  /** All rows at the same time, as a statement writes them. */
  touchAll(): void {
    for (const { id, revision } of this.#rows.values()) this.#write(id, revision + 1);
  }

  #pick(at: number): Row | undefined {
    const rows = [...this.#rows.values()];
    return rows[at % Math.max(1, rows.length)];
  }

  #write(id: number, revision: number): void {
    const { grain, lag } = this.#form;
    const updated = Math.floor(this.now / grain) * grain;
    const row = { id, revision, updated_at: new Date(updated).toISOString(), visibleFrom: this.now + lag * 1_000 };
    this.#rows.set(id, row);
  }

  #list(since: string | null): Row[] {
    const direction = this.#form.order === 'descending' ? -1 : 1;
    const seen = [...this.#rows.values()].filter(
      ({ updated_at: at, visibleFrom }) => visibleFrom <= this.now && (since === null || at >= since),
    );
    if (this.#form.order === 'none') return seen.toSorted((a, b) => a.id - b.id);
    return seen.toSorted(
      (a, b) => direction * (a.updated_at < b.updated_at ? -1 : Number(a.updated_at > b.updated_at)) || a.id - b.id,
    );
  }

  #page(sweep: Sweep): SweptPage {
    const rows = this.#list(sweep.bound);
    const { size, paging } = this.#form;
    const after = (row: Row): string => JSON.stringify([row.updated_at, row.id]);
    let first = askedOffset(sweep, 0);
    if (paging === 'keyset') {
      const last = sweep.place?.value as string | undefined;
      first = last === undefined ? 0 : rows.findIndex((row) => this.#isBehind(row, last));
      if (first < 0) first = rows.length;
    }
    const found = rows.slice(first, first + size);
    return {
      records: readRecords(
        this.#config,
        found.map(({ id, updated_at, revision }) => ({ id, updated_at, revision })),
      ),
      paging: paging === 'keyset' ? 'cursor' : 'offset',
      start: 0,
      next(count, { items }) {
        const last = found.at(-1);
        if (paging === 'keyset') return last && found.length === size ? { value: after(last) } : undefined;
        return count === 0 ? undefined : { value: items };
      },
    };
  }

  #isBehind(row: Row, last: string): boolean {
    const [at, id] = JSON.parse(last) as [string, number];
    if (this.#form.order === 'none') return row.id > id;
    if (row.updated_at === at) return row.id > id;
    return this.#form.order === 'descending' ? row.updated_at < at : row.updated_at > at;
  }

  /** Reads a page. `end`: the request fails, the worker dies before it stores the page, or all goes well. Returns whether the list is read. */
  poll(end: 'failed' | 'killed' | 'stored'): boolean {
    if (end === 'failed') return false;
    const { watermark: mark } = this.#config;
    const sweep = this.#sweep ?? beginSweep(this.#watermark, mark, new Date(this.now).toISOString());
    const page = this.#page(sweep);
    let swept: Swept;
    try {
      swept = advance(mark, this.#watermark, sweep, page);
    } catch (error) {
      if (!isPlaceLost(error, sweep)) throw error;
      this.#sweep = null;
      return false;
    }
    if (end === 'killed') return false;
    for (const { identity, position, value } of page.records) {
      if (position === undefined || !isAfter(position, sweep.from, mark) || this.#known.has(identity)) continue;
      this.#known.set(identity, position);
      const { id, revision } = value as Row;
      this.fired.set(`${id}/${revision}`, (this.fired.get(`${id}/${revision}`) ?? 0) + 1);
    }
    this.#watermark = swept.watermark;
    this.#sweep = swept.sweep;
    if (swept.sweep !== null) return false;
    // With the shortest window, a record is forgotten once it can no longer be answered.
    const from = beginningAt(this.#watermark, mark);
    for (const [identity, at] of this.#known) if (from !== null && at < from) this.#known.delete(identity);
    return true;
  }

  /** Lets the list rest until it is read to its end, after all rows are visible. */
  settle(): void {
    this.now += 2 * overlapSeconds * 1_000;
    // The first end may be that of a sweep that began before.
    for (let pages = 0, ends = 0; ends < 2; pages += 1) {
      if (pages > 10_000) throw new Error('The list is not read to its end.');
      if (this.poll('stored')) ends += 1;
    }
  }

  /** Versions that the list shows and that were not fired. */
  missed(): string[] {
    return [...this.#rows.values()]
      .map(({ id, revision }) => `${id}/${revision}`)
      .filter((row) => !this.fired.has(row));
  }

  twice(): string[] {
    return [...this.fired].filter(([, times]) => times > 1).map(([row]) => row);
  }
}
