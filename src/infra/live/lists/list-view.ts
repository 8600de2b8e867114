import type { Superseding } from '#src/infra/live/live-stream.ts';

export const listChanges = ['added', 'changed', 'removed', 'reload'] as const;

/** A change of a list. All listeners of a view receive the same object. */
export interface ListEvent<Row> extends Superseding {
  change: (typeof listChanges)[number];
  /** The row that changed; null for `reload`. */
  id: number | null;
  /** The row as it is now; undefined for `reload`, and for a row that is gone. Rows that changed together are read together. */
  row: () => Promise<Row | undefined>;
}

export type ListListener<Row> = (event: ListEvent<Row>) => void;

/** The matching rows of a view that are remembered, of all views of a tenant, and those that are read at a view's start: the newest. */
export const maxRemembered = 10_000;
export const maxRememberedTogether = 100_000;
export const maxFirstRead = 1_000;

/**
 * The rows of a list within one filter, as its listeners know them. Remembers which rows match, so that it can report one that no longer does.
 */
export class ListView<Row> {
  readonly listeners = new Set<ListListener<Row>>();
  readonly #matching = new Set<number>();
  /** It is not known which rows with a lower id matched. */
  #knownFrom = Number.MAX_SAFE_INTEGER;
  #isReady = false;

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Forgets what matched: changes may have been missed. */
  invalidate(): void {
    this.#isReady = false;
  }

  /** Begins again with the newest matching ids, newest first, or without knowledge when they could not be read. */
  begin(newest: readonly number[] | undefined): void {
    this.#matching.clear();
    for (const id of newest ?? []) this.#matching.add(id);
    const oldest = newest && newest.length >= maxFirstRead ? newest.at(-1) : 0;
    this.#knownFrom = newest ? (oldest ?? 0) : Number.MAX_SAFE_INTEGER;
    this.#isReady = true;
    this.#publish(reloadEvent);
  }

  /**
   * Reports a row that changed. A row that may have matched before and does not now counts as removed. At most `most` matching rows are
   * remembered.
   */
  update(id: number, matches: boolean, row: ListEvent<Row>['row'], most = maxRemembered): void {
    const isUncertain = id < this.#knownFrom && !this.#matching.has(id);
    const matched = this.#matching.has(id);
    if (matches) this.#remember(id, most);
    else this.#matching.delete(id);
    if (!matches && !matched && !isUncertain) return;
    const change = !matches ? 'removed' : matched || isUncertain ? 'changed' : 'added';
    this.#publish({ change, id, row, supersedes: `row/${id}` });
  }

  #remember(id: number, most: number): void {
    this.#matching.delete(id);
    while (this.#matching.size >= most) {
      const forgotten = this.#matching.values().next().value as number;
      this.#matching.delete(forgotten);
      this.#knownFrom = Math.max(this.#knownFrom, forgotten + 1);
    }
    this.#matching.add(id);
  }

  #publish(event: ListEvent<Row>): void {
    for (const listener of this.listeners) listener(event);
  }
}

/** One object for all lists, so that its executions are shared too. */
export const reloadEvent: ListEvent<never> = {
  change: 'reload',
  id: null,
  row: async () => undefined,
  supersedes: 'reload',
};
