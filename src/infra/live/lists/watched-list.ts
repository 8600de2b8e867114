import { setTimeout as delay } from 'node:timers/promises';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import {
  type ListListener,
  ListView,
  maxFirstRead,
  maxRemembered,
  maxRememberedTogether,
  reloadEvent,
} from './list-view.ts';
import type { LiveListDeps, LiveListSource } from './live-list-source.ts';

/** Rows that are evaluated in one statement. */
const batchSize = 500;
/** Filters that are evaluated in one statement; the rows are read once for all of them. */
const filtersAStatement = 32;
/** More changed rows than this are not reported one by one. */
const maxPending = 2_000;
/** Listeners are asked to read the list at most this often, and this long after a burst began. */
const reloadPauseMs = 1_000;
/** How soon changes that arrive before a reload is due are noticed. */
const pollMs = 20;
/** First reads of views that run at a time. */
const readsAtOnce = 4;

interface FilteredView<Filter, Row> {
  filter: Filter;
  view: ListView<Row>;
}

/** A list of one tenant and the filters that are followed in this process. */
export class WatchedList<Filter, Row> {
  readonly #deps: LiveListDeps;
  readonly #source: LiveListSource<Filter, Row>;
  readonly #tenantId: string;
  readonly #onEmpty: () => void;
  readonly #views = new Map<string, FilteredView<Filter, Row>>();
  readonly #pending = new Set<number>();
  #unsubscribe: (() => void) | undefined;
  /** Views begin when changes are heard: what is read earlier would have to be read again. */
  #isListening = false;
  /** When the views begin again, and when they last did, in milliseconds of `performance`. */
  #reloadAt: number | undefined;
  #reloadedAt = Number.NEGATIVE_INFINITY;
  /** Too many rows changed: single changes are of no use until the views begin again. */
  #isOverwhelmed = false;
  #isRunning = false;

  constructor(deps: LiveListDeps, source: LiveListSource<Filter, Row>, tenantId: string, onEmpty: () => void) {
    this.#deps = deps;
    this.#source = source;
    this.#tenantId = tenantId;
    this.#onEmpty = onEmpty;
  }

  /** The number of filters. */
  get size(): number {
    return this.#views.size;
  }

  has(filter: Filter): boolean {
    return this.#views.has(filterKey(filter));
  }

  /** Returns the function that leaves the list. */
  join(filter: Filter, listener: ListListener<Row>): () => void {
    const key = filterKey(filter);
    const known = this.#views.get(key) ?? { filter, view: new ListView<Row>() };
    this.#views.set(key, known);
    const { view } = known;
    // Each joins with a listener of its own.
    view.listeners.add(listener);
    this.#unsubscribe ??= this.#source.listen(this.#tenantId, {
      onChange: (id) => this.#receive(id),
      onResync: (hasMissed) => void (hasMissed && this.#resync()),
    });
    // Not before the caller has its source.
    if (view.isReady) setImmediate(() => void (view.listeners.has(listener) && view.isReady && listener(reloadEvent)));
    else this.#wake();
    return () => {
      view.listeners.delete(listener);
      if (view.listeners.size > 0 || this.#views.get(key)?.view !== view) return;
      this.#views.delete(key);
      if (this.#views.size > 0) return;
      this.#unsubscribe?.();
      this.#onEmpty();
    };
  }

  #resync(): void {
    if (this.#isListening) return this.#reloadAfter(this.#reloadedAt + reloadPauseMs);
    this.#isListening = true;
    this.#wake();
  }

  #receive(id: number): void {
    if (this.#isOverwhelmed) return;
    this.#pending.add(id);
    this.#isOverwhelmed = this.#pending.size > maxPending;
    if (!this.#isOverwhelmed) return this.#wake();
    this.#pending.clear();
    this.#reloadAfter(performance.now() + reloadPauseMs);
  }

  #reloadAfter(at: number): void {
    this.#reloadAt = Math.max(at, this.#reloadAt ?? at);
    this.#wake();
  }

  #wake(): void {
    if (this.#isRunning || !this.#isListening) return;
    this.#isRunning = true;
    // Changes that are received in one turn of the event loop are evaluated together.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#views.size > 0) {
      if (this.#reloadAt !== undefined && this.#reloadAt <= performance.now()) this.#forget();
      const unready = [...this.#views.values()].filter(({ view }) => !view.isReady);
      if (unready.length > 0) await this.#begin(unready);
      else if (this.#pending.size > 0) await this.#evaluate();
      else if (this.#reloadAt !== undefined) await delay(pollMs, undefined, { ref: false });
      else break;
    }
    this.#isRunning = false;
  }

  #forget(): void {
    this.#reloadAt = undefined;
    this.#reloadedAt = performance.now();
    // From here on, changes count again: what was committed before is read with the views.
    this.#isOverwhelmed = false;
    for (const { view } of this.#views.values()) view.invalidate();
  }

  async #begin(views: readonly FilteredView<Filter, Row>[]): Promise<void> {
    for (let from = 0; from < views.length; from += readsAtOnce) {
      await Promise.all(
        views.slice(from, from + readsAtOnce).map(async ({ filter, view }) => {
          const newest = await this.#readNewest(filter).catch((error: unknown) => {
            this.#deps.log.warn({ err: error }, `the ${this.#source.table} of a followed list could not be read`);
            return undefined;
          });
          view.begin(newest);
        }),
      );
    }
  }

  async #readNewest(filter: Filter): Promise<number[]> {
    const parameters = new SqlParameters();
    const where = this.#source.conditions(this.#tenantId, filter, parameters).join(' AND ');
    const rows = await this.#deps.database.tenantQuery<{ id: number }>(this.#tenantId, {
      text: `SELECT id FROM ${this.#source.table} WHERE ${where} ORDER BY id DESC LIMIT ${maxFirstRead}`,
      values: parameters.values,
    });
    return rows.map(({ id }) => id);
  }

  async #evaluate(): Promise<void> {
    const ids = [...this.#pending].slice(0, batchSize);
    for (const id of ids) this.#pending.delete(id);
    const views = [...this.#views.values()];
    const most = Math.min(maxRemembered, Math.max(maxFirstRead, Math.floor(maxRememberedTogether / views.length)));
    let rows: Promise<Map<number, Row>> | undefined;
    const load = () => (rows ??= this.#load(ids));
    for (let from = 0; from < views.length; from += filtersAStatement) {
      const some = views.slice(from, from + filtersAStatement);
      const matching = await readUntilAnswered(
        () => this.#readMatching(some, ids),
        () => this.#views.size === 0 || this.#isOverwhelmed,
        (error) => this.#deps.log.warn({ err: error }, `changed ${this.#source.table} could not be read`),
      );
      if (!matching) return;
      for (const id of ids) {
        const row = async () => (await load()).get(id);
        for (const [n, { view }] of some.entries()) view.update(id, matching[n]?.has(id) ?? false, row, most);
      }
    }
  }

  /** The rows, read once for everyone who asks for one of them. */
  async #load(ids: readonly number[]): Promise<Map<number, Row>> {
    const rows = await readUntilAnswered(
      () => this.#source.load(this.#tenantId, ids),
      () => this.#views.size === 0,
      (error) => this.#deps.log.warn({ err: error }, `changed ${this.#source.table} could not be read`),
    );
    return rows ?? new Map();
  }

  /** For each view, which of the rows match. */
  async #readMatching(views: readonly FilteredView<Filter, Row>[], ids: readonly number[]): Promise<Set<number>[]> {
    const parameters = new SqlParameters();
    const { table, conditions } = this.#source;
    const columns = views.map(
      ({ filter }, n) => `(${conditions(this.#tenantId, filter, parameters).join(' AND ')}) AS m${n}`,
    );
    const rows = await this.#deps.database.tenantQuery<Record<string, unknown> & { id: number }>(this.#tenantId, {
      text: `SELECT id, ${columns.join(', ')} FROM ${table}
        WHERE tenant_id = ${parameters.add(this.#tenantId)} AND id = ANY(${parameters.add(ids)}::bigint[])`,
      values: parameters.values,
    });
    return views.map((_view, n) => new Set(rows.filter((row) => row[`m${n}`] === true).map(({ id }) => id)));
  }
}

const filterKey = (filter: unknown): string =>
  JSON.stringify(filter, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
