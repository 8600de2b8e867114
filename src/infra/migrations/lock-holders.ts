import { DatabaseClient } from '#src/infra/postgres/connections/database-client.ts';

/** The application name of the connections that migrate, by which those that wait for a lock are found. */
export const migrating = 'causeway-migrate';

/** Leaves out the holder's statement, which may contain a customer's data. */
const holdersSql = `
  SELECT DISTINCT coalesce(l.relation::regclass::text, 'another transaction') AS locked, h.pid,
         coalesce(h.application_name, h.backend_type, '') AS application, h.usename AS "user", h.state,
         coalesce(extract(epoch FROM now() - h.xact_start), 0)::int AS seconds
    FROM pg_stat_activity w
    JOIN pg_locks l ON l.pid = w.pid AND NOT l.granted
    CROSS JOIN unnest(pg_blocking_pids(w.pid)) AS blocking(pid)
    LEFT JOIN pg_stat_activity h ON h.pid = blocking.pid
   WHERE w.datname = current_database() AND w.application_name = '${migrating}' AND w.wait_event_type = 'Lock'
     AND h.application_name IS DISTINCT FROM w.application_name
   LIMIT 5`;

interface Holder {
  locked: string;
  /** Null for a transaction that was prepared for two-phase commit. */
  pid: number | null;
  application: string;
  user: string | null;
  state: string | null;
  seconds: number;
}

const describeHolder = ({ locked, pid, application, user, state, seconds }: Holder): string =>
  pid === null
    ? `${locked}: a prepared transaction (see pg_prepared_xacts)`
    : `${locked}: process ${pid} (${[application, user && `user ${user}`, state, `in its transaction for ${seconds} s`].filter(Boolean).join(', ')})`;

const lookMs = 250;

/** Watches what a migration waits for, over a separate connection that opens only for work that takes longer than a moment. */
export interface LockHolders {
  /** Who held the lock when the migration was last seen waiting; undefined if it has not waited. */
  seen(): string | undefined;
  stop(): Promise<void>;
}

/** `onSeen` is called every time a holder is found. */
export function watchLockHolders(url: string, onSeen: (holders: string) => void = () => undefined): LockHolders {
  let seen: string | undefined;
  let client: DatabaseClient | undefined;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    if (!client) {
      client = new DatabaseClient({ connectionString: url, application_name: 'causeway-migrate-watch' });
      await client.connect();
    }
    const { rows } = await client.query<Holder>(holdersSql);
    if (rows.length === 0) return;
    seen = rows.map(describeHolder).join('; ');
    onSeen(seen);
  };
  const timer = setInterval(() => {
    // The migration itself reports that the server is away.
    looking ??= look()
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
      });
  }, lookMs);
  return {
    seen: () => seen,
    async stop() {
      clearInterval(timer);
      await looking;
      await client?.end().catch(() => undefined);
    },
  };
}
