import type pg from 'pg';
import { isOutage } from './outages.ts';
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
/** The control file names the timeline of the last checkpoint, which is the former one until some time after a promotion; the log's files do not. */
const serverSession = `
  SELECT standby, current_user AS role, cluster, timeline, EXISTS (
      SELECT FROM (SELECT *, tableoid FROM server_timelines ORDER BY number DESC LIMIT 1) AS latest
      WHERE latest.system = session.cluster AND latest.timeline = session.timeline AND latest.table_id = latest.tableoid
    ) AS "isKnown"
  FROM (
    SELECT pg_is_in_recovery() AS standby,
      CASE WHEN NOT pg_is_in_recovery() THEN (SELECT system_identifier::text FROM pg_control_system()) END AS cluster,
      CASE WHEN NOT pg_is_in_recovery() THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline
  ) AS session`;

const undefinedTable = '42P01';

export async function readPlainSession(client: pg.Client): Promise<ServerSession> {
  const { rows } = await client.query<ServerSession>(plainSession);
  return rows[0] as ServerSession;
}

export async function readServerSession(client: pg.Client): Promise<ServerSession> {
  let unread: 'unreadable' | undefined;
  try {
    const { rows } = await client.query<ServerTimeline & ServerSession>(serverSession);
    const { standby, role, ...server } = rows[0] as ServerTimeline & ServerSession;
    return standby ? { standby, role } : { standby, role, server };
  } catch (error) {
    const state = sqlState(error);
    if (state === undefined || isOutage(error)) throw error;
    // A managed server may refuse these functions, or not have them.
    if (state !== undefinedTable) unread = 'unreadable';
  }
  return { ...(await readPlainSession(client)), ...(unread && { server: unread }) };
}

/**
 * Records the server as the database's present one. Ids and order numbers that were given on a former one after the last transaction that this one has
 * are moved past; returns how far. One statement, so that it is complete even if this process ends.
 */
export async function enterTimeline(client: pg.Client, { cluster, timeline }: ServerTimeline): Promise<number> {
  const answers = (await client.query(
    `SELECT set_config('role', 'causeway_system', true); SELECT enter_timeline(${client.escapeLiteral(cluster)}, ${Number(timeline)}) AS moved`,
  )) as unknown as pg.QueryResult<{ moved: string }>[];
  return Number(answers[1]?.rows[0]?.moved);
}
