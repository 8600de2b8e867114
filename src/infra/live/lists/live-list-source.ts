import type { Deps } from '#src/infra/deps.ts';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import type { Pubsub } from '#src/infra/live/pubsub.ts';
import type { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';

export type LiveListDeps = Pick<Deps, 'database' | 'live' | 'log'>;

interface RowListener {
  onChange: (id: number) => void;
  onResync: (hasMissed: boolean) => void;
}

/** A list whose rows clients follow. */
export interface LiveListSource<Filter, Row> {
  /** Table that holds the rows; it has the columns `tenant_id` and `id`. */
  table: string;
  /** The SQL conditions of the list, without an alias for the table. */
  conditions: (tenantId: string, filter: Filter, parameters: SqlParameters) => string[];
  /** Listens to the changes of the tenant's rows; returns the function that stops. Calls `onResync(true)` as soon as it does. */
  listen: (tenantId: string, listener: RowListener) => () => void;
  /** The rows with these ids, at most 500, by id. */
  load: (tenantId: string, ids: readonly number[]) => Promise<Map<number, Row>>;
}

/** The beginning of a notice: whose row, and which. */
type ChangedRow = readonly [tenantId: string, id: number, ...rest: unknown[]];

/** Listens to a channel whose keys contain the tenant's id. */
export const listenToRows =
  <Entry extends ChangedRow>(live: Pubsub, channel: Channel<Entry>) =>
  (tenantId: string, { onChange, onResync }: RowListener): (() => void) => {
    const stop = live.subscribe(channel, tenantId, { onEntry: ([, id]) => onChange(id), onResync });
    if (live.isListening(channel)) onResync(true);
    return stop;
  };
