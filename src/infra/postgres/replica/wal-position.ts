import type pg from 'pg';

/** A place in the write-ahead log of the primary. */
export interface WalPosition {
  /** The number of the newest row of `server_timelines`; 0 where there is none. It increases with each failover. */
  timeline: number;
  /** Bytes since the beginning of the log. */
  byte: number;
}

const pageHeader = 24;
const segmentHeader = 40;

interface PositionRow {
  timeline: number;
  byte: string;
  page: number;
  segment: string;
}

/** The end of what the primary has written, commits that do not wait for its disk included. */
export async function readWalPosition(pool: Pick<pg.Pool, 'query'>): Promise<WalPosition> {
  const { rows } = await pool.query<PositionRow>({
    name: 'wal-position',
    text: `SELECT coalesce((SELECT max(number) FROM server_timelines), 0) AS timeline,
      (pg_current_wal_insert_lsn() - '0/0')::text AS byte, current_setting('wal_block_size')::int AS page,
      pg_size_bytes(current_setting('wal_segment_size'))::text AS segment`,
  });
  const { timeline, byte, page, segment } = rows[0] as PositionRow;
  return { timeline, byte: withoutHeader(Number(byte), page, Number(segment)) };
}

/**
 * Where a page begins, Postgres tells the place behind its header, which a standby reaches only with the next record: on a primary that
 * rests, it would not reach it at all.
 */
function withoutHeader(byte: number, page: number, segment: number): number {
  if (byte % segment === segmentHeader) return byte - segmentHeader;
  return byte % page === pageHeader ? byte - pageHeader : byte;
}

/** The position as Postgres writes it, such as `16/B374D848`. */
export const toLsn = ({ byte }: WalPosition): string =>
  `${Math.floor(byte / 2 ** 32).toString(16)}/${(byte % 2 ** 32).toString(16)}`;

/** The number of digits of the greatest integer that JavaScript holds exactly. */
const digits = 14;

/** Writes a position as text, so that a later position has a greater text. */
export const writePosition = ({ timeline, byte }: WalPosition): string =>
  [timeline, byte].map((number) => number.toString(16).padStart(digits, '0')).join('-');

/** Reads a position that `writePosition` wrote. */
export function readPosition(text: string): WalPosition {
  const [timeline, byte] = text.split('-').map((number) => Number.parseInt(number, 16)) as [number, number];
  return { timeline, byte };
}

export const later = (one: WalPosition, other: WalPosition): WalPosition =>
  other.timeline > one.timeline || (other.timeline === one.timeline && other.byte > one.byte) ? other : one;
