import type pg from 'pg';
import { sqlState } from './sql-errors.ts';

/** A server that takes writes: its cluster, and the timeline of its write-ahead log, which each promotion and each restore raises. */
export interface ServerTimeline {
  /** Its system identifier. */
  cluster: string;
  timeline: number;
  /** False where the database has not been seen on it. */
  isKnown: boolean;
}

/** What a new connection is asked first. */
export interface ServerSession {
  standby: boolean;
  role: string;
  /** Absent for a standby, and in a database that is not migrated yet. `unreadable` where the server shows it to nobody. */
  server?: ServerTimeline | 'unreadable';
}

const plainSession = 'SELECT pg_is_in_recovery() AS standby, current_user AS role';
/**
 * The control file names the timeline of the last checkpoint, which is the former one until some time after a promotion; the log's files do
 * not. The statement only reads, and what it reads is compared here: a connection that has just opened has no plans and no catalogue yet, so
 * operators, casts and an order took Postgres another millisecond.
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
  /** A record of a server; absent before the first is written. */
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
    return sessionOf(rows.reduce((last, row) => ((row.number ?? 0) > (last.number ?? 0) ? row : last)));
  } catch (error) {
    const state = sqlState(error);
    // A managed server may refuse these functions, or not have them. Anything else passes, and must not end the comparison for good.
    if (state !== undefined && notOffered.has(state)) unread = 'unreadable';
    else if (state !== undefinedTable) throw error;
  }
  return { ...(await readPlainSession(client)), ...(unread && { server: unread }) };
}

function sessionOf({ standby, role, cluster, file, ...latest }: SessionRow): ServerSession {
  if (standby || cluster === null || file === null) return { standby, role };
  const timeline = Number.parseInt(file.slice(0, 8), 16);
  const isKnown = latest.system === cluster && latest.timeline === timeline && latest.tableId === latest.presentTable;
  return { standby, role, server: { cluster, timeline, isKnown } };
}

/**
 * Records the server as the database's present one. Ids and order numbers that were given on a former one after the last transaction that this one has
 * are moved past; returns how far. One statement, so that it is complete even if this process ends.
 */
export async function enterTimeline(client: pg.Client, { cluster, timeline }: ServerTimeline): Promise<number> {
  const answers = (await client.query(
    `SELECT set_config('role', 'causeway_system', true); SELECT enter_timeline(${client.escapeLiteral(cluster)}, ${timeline}) AS moved`,
  )) as unknown as pg.QueryResult<{ moved: string }>[];
  return Number(answers[1]?.rows[0]?.moved);
}
