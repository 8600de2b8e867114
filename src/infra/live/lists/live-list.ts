import { AppError, ValidationError } from '#src/infra/errors.ts';
import { isStorable, unstorable } from '#src/infra/json.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { type ListEvent, reloadEvent } from './list-view.ts';
import type { LiveListDeps, LiveListSource } from './live-list-source.ts';
import { WatchedList } from './watched-list.ts';

/** The filters of one tenant that a process evaluates for one list. */
const maxViews = 1_000;

/** Follows a list for all subscribers of a process: equal filters share a view, and all views of a tenant share a read. */
export class LiveList<Filter extends object, Row> {
  readonly #deps: LiveListDeps;
  readonly #source: LiveListSource<Filter, Row>;
  readonly #tenants = new Map<string, WatchedList<Filter, Row>>();

  constructor(deps: LiveListDeps, source: LiveListSource<Filter, Row>) {
    this.#deps = deps;
    this.#source = source;
  }

  /**
   * Changes of the tenant's rows within the filter. `reload` comes first, when the list is followed: read it then. It comes again when changes
   * were or may have been missed: after a lost connection, when they come faster than they can be evaluated, and for a reader that
   * falls behind. Throws a ValidationError for a filter that the list does not take.
   */
  follow(tenantId: string, filter: Filter): OpenLive<ListEvent<Row>> {
    this.#assertFollowable(tenantId, filter);
    return (sink) => {
      let isBehind = false;
      const leave = this.#watch(tenantId).join(filter, (event) => {
        // A reader that has fallen behind reads the list instead.
        if (!isBehind) isBehind = !sink.event(event);
      });
      return {
        close: leave,
        resume() {
          if (!isBehind) return;
          isBehind = false;
          sink.event(reloadEvent);
        },
      };
    };
  }

  /** The rows that changed within the filter or left it, without `reload`: a reader that falls behind gets the latest of each. */
  followRows(tenantId: string, filter: Filter): OpenLive<ListEvent<Row>> {
    this.#assertFollowable(tenantId, filter);
    return (sink) => {
      const leave = this.#watch(tenantId).join(filter, (event) => {
        if (event.change !== 'reload') sink.event(event);
      });
      return { close: leave };
    };
  }

  #assertFollowable(tenantId: string, filter: Filter): void {
    const watched = this.#tenants.get(tenantId);
    if (watched && watched.size >= maxViews && !watched.has(filter))
      throw new AppError('TOO_MANY_ATTEMPTS', `At most ${maxViews} filters of a list may be followed at a time.`);
    // All filters of a tenant are evaluated in one statement, so one that Postgres refuses would hold up the others.
    for (const [name, value] of Object.entries(filter))
      if (!isStorable(value)) throw new ValidationError({ [name]: [unstorable] });
    this.#source.conditions(tenantId, filter, new SqlParameters());
  }

  #watch(tenantId: string): WatchedList<Filter, Row> {
    let watched = this.#tenants.get(tenantId);
    if (!watched) {
      watched = new WatchedList(this.#deps, this.#source, tenantId, () => this.#tenants.delete(tenantId));
      this.#tenants.set(tenantId, watched);
    }
    return watched;
  }
}
