import type pg from 'pg';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';

/**
 * A server that takes writes: its cluster, and the timeline of its write-ahead log, which increases with each promotion and each restore.
 */
export interface ServerTimeline {
  /** Its system identifier. */
  cluster: string;
  timeline: number;
  /** False if the database has not been seen on it. */
  isKnown: boolean;
}

/** The answer to the first query of a new connection. */
export interface ServerSession {
  standby: boolean;
  role: string;
  /** Absent for a standby, and in a database that is not migrated yet. `unreadable` if the server shows it to nobody. */
  server?: ServerTimeline | 'unreadable';
}

const plainSession = 'SELECT pg_is_in_recovery() AS standby, current_user AS role';
/**
 * The timeline is read from the name of the current log file: the control file names that of the last checkpoint, which is the former one
 * until some time after a promotion. The statement only reads values, and they are compared here: a new connection has no plans and no
 * catalogue cache, so operators, casts and an ORDER BY took Postgres another millisecond.
 */
const sessionOfServer = `${plainSession},
  CASE WHEN NOT pg_is_in_recovery() THEN (pg_control_system()).system_identifier::text END AS cluster,
  CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END AS file`;
const recordedSessions = `${sessionOfServer}, number, system, timeline, table_id AS "tableId", tableoid AS "presentTable" FROM server_timelines`;

interface SessionRow {
  standby: boolean;
  role: string;
  cluster: string | null;
  file: string | null;
  /** A row of the table of known servers; the members are absent before the first is written. */
  number?: number;
  system?: string;
  timeline?: number;
  tableId?: number;
  presentTable?: number;
}

const undefinedTable = '42P01';
/** Permission denied, undefined function, feature not supported. */
const notOffered: ReadonlySet<string> = new Set(['42501', '42883', '0A000']);

export async function readPlainSession(client: pg.Client): Promise<ServerSession> {
  const { rows } = await client.query<ServerSession>(plainSession);
  return rows[0] as ServerSession;
}

export async function readServerSession(client: pg.Client): Promise<ServerSession> {
  let unread: 'unreadable' | undefined;
  try {
    const { rows: recorded } = await client.query<SessionRow>(recordedSessions);
    const rows = recorded.length > 0 ? recorded : (await client.query<SessionRow>(sessionOfServer)).rows;
    return toSession(rows.reduce((last, row) => ((row.number ?? 0) > (last.number ?? 0) ? row : last)));
  } catch (error) {
    const state = sqlState(error);
    // A managed server may refuse these functions, or lack them. Any other error is temporary, and must not disable the comparison for
    // good.
    if (state !== undefined && notOffered.has(state)) unread = 'unreadable';
    else if (state !== undefinedTable) throw error;
  }
  return { ...(await readPlainSession(client)), ...(unread && { server: unread }) };
}

function toSession({ standby, role, cluster, file, ...latest }: SessionRow): ServerSession {
  if (standby || cluster === null || file === null) return { standby, role };
  const timeline = Number.parseInt(file.slice(0, 8), 16);
  const isKnown = latest.system === cluster && latest.timeline === timeline && latest.tableId === latest.presentTable;
  return { standby, role, server: { cluster, timeline, isKnown } };
}

/**
 * Records the server as the database's current one. Advances ids and order numbers past those that a former primary may have given out
 * after the last transaction that reached this one; returns how far. One statement, so that it is complete even if this process ends.
 */
export async function enterTimeline(client: pg.Client, { cluster, timeline }: ServerTimeline): Promise<number> {
  const answers = (await client.query(
    `SELECT set_config('role', 'causeway_system', true); SELECT enter_timeline(${client.escapeLiteral(cluster)}, ${timeline}) AS moved`,
  )) as unknown as pg.QueryResult<{ moved: string }>[];
  return Number(answers[1]?.rows[0]?.moved);
}

/** The role that a session starts with by its start-up options, such as `-c role=causeway_app`. */
export const readRole = (options: string | undefined): string | undefined => /-c role=(\w+)/.exec(options ?? '')?.[1];

/**
 * Refuses a session that started without its role. A pooler may drop start-up options, and `options` in the URL replace ours: the session
 * then acts as the URL's user, for whom row-level security does not keep tenants apart. Callers get an outage, because no tenant may
 * be served over such a session.
 */
export function assertRole(expected: string | undefined, actual: string | undefined): void {
  if (expected === undefined || actual === expected) return;
  throw new OutageError(
    `A database session acts as ${actual} and not as ${expected}, so row-level security would not keep tenants apart. A pooler between Causeway and Postgres dropped the start-up options, or DATABASE_URL has an "options" of its own. Connect to Postgres directly, as docs/database.md says.`,
  );
}

/**
 * An expression that distinguishes a server from any other, including its own standby: its start time, to the microsecond. The next server
 * may not know what a process remembers of this one, since a failover can lose the last commits.
 */
export const serverSql = `extract(epoch FROM pg_postmaster_start_time())::text`;

/** An expression for the server and the database on it. */
export const serverAndDatabase = `(SELECT ${serverSql} || '/' || oid FROM pg_database WHERE datname = current_database())`;

export async function readServerAndDatabase(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ place: string }>(`SELECT ${serverAndDatabase} AS place`);
  return rows[0]?.place;
}
