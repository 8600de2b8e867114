import type pg from 'pg';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { askPrimary } from './primary-error.ts';

type Asked = Pick<pg.Client, 'query'>;

/**
 * Refuses a standby of another server, such as that of a copy of the installation: its log may be longer than the primary's, so its position
 * does not tell it apart. The newest row of `server_timelines` that a standby has replayed is among those of the primary that it follows; the
 * time in it is that of one primary alone. A standby without a row is left to the check of the position.
 */
export async function assertFollows(standby: Asked, primary: Asked): Promise<void> {
  const { rows } = await standby.query<{ row: string }>(`${timelineRows} ORDER BY number DESC LIMIT 1`);
  const [newest] = rows;
  if (!newest) return;
  const { rows: own } = await askPrimary(primary.query<{ row: string }>(timelineRows));
  if (own.some(({ row }) => row === newest.row)) return;
  throw new OutageError(
    'DATABASE_REPLICA_URL leads to a standby of another server; have it lead to standbys of the server of DATABASE_URL alone.',
  );
}

const timelineRows = `SELECT concat_ws('/', number, system, timeline, extract(epoch FROM seen_at)) AS row FROM server_timelines`;
