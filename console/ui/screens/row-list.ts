import type { Entity, ListUpdate } from './rows.ts';

export interface Row<T extends Entity> {
  id: string;
  value: T;
  /** The row no longer matches the filter, or is gone. It stays until the list is read again, so that nothing moves. */
  isGone: boolean;
}

/** What a list shows at one moment; replaced as a whole by each change. */
export interface RowListState<T extends Entity> {
  rows: readonly Row<T>[];
  /** New rows that wait, because showing them would move what the reader looks at. */
  waiting: number;
  hasMore: boolean;
  /** The server says that changes were missed: read the list again. */
  isStale: boolean;
}

/** More rows than this are not kept; the reader narrows the filter. */
export const maxRows = 10_000;

const empty = { rows: [], waiting: 0, hasMore: false, isStale: false };

/**
 * The rows of a list with pages and live changes, without React. Changes are collected and applied together by `flush`, because a busy
 * list changes hundreds of times a second and is drawn sixty times.
 */
export class RowList<T extends Entity> {
  #state: RowListState<T> = empty;
  #waiting: T[] = [];
  #changes: ListUpdate<T>[] = [];
  /** Changes that were reported while a first page was read: it may be older than they are. */
  #meanwhile: ListUpdate<T>[] = [];
  #reads = 0;
  /** Where each row is, by id: a frame that changes 7 of 10,000 rows looks at 7. Made when it is needed. */
  #places: Map<string, number> | undefined;
  readonly #listeners = new Set<() => void>();
  #scheduled = false;
  /** True if new rows are inserted immediately; false if they wait. */
  showsNew = true;

  readonly #schedule: (flush: () => void) => void;

  /** `schedule` calls its argument once, soon: `requestAnimationFrame` in a browser. */
  constructor(schedule: (flush: () => void) => void) {
    this.#schedule = schedule;
  }

  readonly state = (): RowListState<T> => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** A first page is being read. Changes are kept until the returned function is called, before its rows are shown by `reset`. */
  beginRead(): () => void {
    this.#reads += 1;
    return () => {
      this.#reads -= 1;
    };
  }

  /** The first page, which replaces all rows. */
  reset(values: readonly T[], hasMore: boolean): void {
    this.#waiting = [];
    this.#changes = [];
    this.#set({ rows: values.map(toRow), waiting: 0, hasMore, isStale: false });
    const meanwhile = this.#meanwhile;
    if (this.#reads === 0) this.#meanwhile = [];
    for (const update of meanwhile) this.#put(update);
  }

  append(values: readonly T[], hasMore: boolean): void {
    const known = new Set(this.#state.rows.map(({ id }) => id));
    const rows = [...this.#state.rows, ...values.filter(({ id }) => !known.has(id)).map(toRow)].slice(0, maxRows);
    this.#set({ ...this.#state, rows, hasMore: hasMore && rows.length < maxRows });
  }

  apply(update: ListUpdate<T>): void {
    // RELOAD begins a read of its own.
    if (this.#reads > 0 && update.change !== 'RELOAD') this.#meanwhile.push(update);
    this.#put(update);
  }

  #put(update: ListUpdate<T>): void {
    this.#changes.push(update);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#schedule(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  /** Shows the new rows that waited. */
  showWaiting(): void {
    const added = this.#waiting.splice(0).map(toRow);
    const ids = new Set(added.map(({ id }) => id));
    const rows = [...added, ...this.#state.rows.filter(({ id, isGone }) => !isGone && !ids.has(id))].slice(0, maxRows);
    this.#set({ ...this.#state, rows, waiting: 0 });
  }

  #flush(): void {
    const changes = this.#changes.splice(0);
    if (changes.some(({ change }) => change === 'RELOAD')) {
      this.#set({ ...this.#state, isStale: true });
      return;
    }
    const last = new Map<string, ListUpdate<T>>();
    for (const update of changes) if (update.id !== null) last.set(update.id, update);
    const places = (this.#places ??= new Map(this.#state.rows.map(({ id }, index) => [id, index])));
    const rows = [...this.#state.rows];
    for (const [id, update] of last) {
      const place = places.get(id);
      const row = place === undefined ? undefined : rows[place];
      if (place === undefined || row === undefined) continue;
      rows[place] = changed(row, update);
      last.delete(id);
    }
    this.#waiting = this.#waiting
      .map((value) => last.get(value.id)?.node ?? value)
      .filter(({ id }) => last.get(id)?.change !== 'REMOVED');
    const known = new Set(this.#waiting.map(({ id }) => id));
    // The newest first, as the list is read.
    for (const { change, node, id } of last.values()) {
      if (change !== 'REMOVED' && node && id !== null && !known.has(id) && isNew(changes, id))
        this.#waiting.unshift(node);
    }
    this.#state = { ...this.#state, rows, waiting: this.#waiting.length };
    this.#tell();
    if (this.showsNew && this.#waiting.length > 0) this.showWaiting();
  }

  /** For rows in other places; a flush leaves each where it is. */
  #set(state: RowListState<T>): void {
    this.#state = state;
    this.#places = undefined;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const toRow = <T extends Entity>(value: T): Row<T> => ({ id: value.id, value, isGone: false });

function changed<T extends Entity>(row: Row<T>, update: ListUpdate<T>): Row<T> {
  return update.node && update.change !== 'REMOVED'
    ? { ...row, value: update.node, isGone: false }
    : { ...row, isGone: true };
}

/** A change of a row that the list has not loaded yet is not a new row. */
const isNew = <T extends Entity>(changes: readonly ListUpdate<T>[], id: string): boolean =>
  changes.some((update) => update.id === id && update.change === 'ADDED');
