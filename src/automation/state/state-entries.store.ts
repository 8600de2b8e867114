import { stateLimits } from './state.inputs.ts';

/** The key of an entry within its tenant. */
export interface EntryKey {
  namespace: string;
  key: string;
}

export interface StateEntry extends EntryKey {
  value: unknown;
  version: number;
  expiresAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export const entryColumns =
  'namespace, key, value, version, expires_at AS "expiresAt", created_at AS "createdAt", updated_at AS "updatedAt"';

/** SQL: an expired entry is absent for everyone, by the database's clock. */
export const isLive = (alias: string): string => `(${alias}.expires_at IS NULL OR ${alias}.expires_at > now())`;

/** Runs one statement within a tenant: `tenantQuery`, or part of a larger transaction. */
export type RunSql = <Row extends object>(statement: {
  name: string;
  text: string;
  values: unknown[];
}) => Promise<Row[]>;

export async function selectEntry(
  run: RunSql,
  tenantId: string,
  { namespace, key }: EntryKey,
): Promise<StateEntry | undefined> {
  const [entry] = await run<StateEntry>({
    name: 'state-get',
    text: `SELECT ${entryColumns} FROM state_entries e
      WHERE e.tenant_id = $1 AND e.namespace = $2 AND e.key = $3 AND ${isLive('e')}`,
    values: [tenantId, namespace, key],
  });
  return entry;
}

export interface EntryWrite extends EntryKey {
  /** JSON text, and its size together with the key. */
  text: string;
  size: number;
  /** Null: overwrite any version. 0: only if there is no entry. Otherwise only over this version. */
  version: number | null;
  ttlSeconds: number | null;
  /** A replaced entry keeps its expiry; `ttlSeconds` applies to new entries. */
  keepExpiry: boolean;
  writer: string | null;
}

interface WriteRow {
  /** Null: the statement wrote nothing. */
  version: number | null;
  expiresAt: Date | null;
  createdAt: Date | null;
  updatedAt: Date | null;
  hasNamespace: boolean;
  hasPlace: boolean | null;
  hasBytes: boolean | null;
  /** The version before the statement; null when there was none or it had expired. */
  foundVersion: number | null;
  foundWriter: string | null;
}

/** The outcome of a write. `version` 1 means the entry was created. `found` is the conflicting version, 0 for none. */
export type Written =
  | { outcome: 'written'; version: number; expiresAt: Date | null; createdAt: Date; updatedAt: Date }
  | { outcome: 'no-namespace' | 'no-place' | 'no-bytes' }
  | { outcome: 'conflict'; found: number; foundWriter: string | null };

/**
 * The state at the start of the statement: enough to refuse a write without an error, which would cost the connection. Two
 * writers may both see the last free place; the database's own caps then refuse the second.
 */
const seen = `
  n AS (SELECT entries, bytes FROM state_namespaces WHERE tenant_id = $1 AND namespace = $2),
  e AS (SELECT size, version, writer, ${isLive('s')} AS live FROM state_entries s
    WHERE tenant_id = $1 AND namespace = $2 AND key = $3),
  room AS (SELECT n.entries + (e.size IS NULL)::int <= ${stateLimits.entries} AS place,
      n.bytes + $5::int - coalesce(e.size, 0) <= ${stateLimits.bytes} AS bytes
    FROM n LEFT JOIN e ON true)`;

const written = `SELECT w.version, w.expires_at AS "expiresAt", w.created_at AS "createdAt", w.updated_at AS "updatedAt",
    room.place IS NOT NULL AS "hasNamespace", room.place AS "hasPlace", room.bytes AS "hasBytes",
    CASE WHEN e.live THEN e.version END AS "foundVersion", e.writer AS "foundWriter"
  FROM (SELECT 1) one LEFT JOIN room ON true LEFT JOIN e ON true LEFT JOIN w ON true`;

const returned = 'RETURNING s.version, s.expires_at, s.created_at, s.updated_at';
const expiry = `now() + make_interval(secs => $7::double precision)`;

// The replaced row is the locked one, which may differ from the one seen, so every decision here refers to the locked row.
const putSql = `WITH ${seen}, w AS (
    INSERT INTO state_entries AS s (tenant_id, namespace, key, value, size, expires_at, writer)
    SELECT $1, $2, $3, $4::json, $5::int, ${expiry}, $8 FROM room WHERE room.place AND room.bytes
    ON CONFLICT (tenant_id, namespace, key) DO UPDATE SET value = excluded.value, size = excluded.size,
      writer = excluded.writer, updated_at = now(),
      expires_at = CASE WHEN $9::boolean AND ${isLive('s')} THEN s.expires_at ELSE excluded.expires_at END,
      version = CASE WHEN ${isLive('s')} THEN s.version + 1 ELSE 1 END,
      created_at = CASE WHEN ${isLive('s')} THEN s.created_at ELSE now() END
    WHERE $6::bigint IS NULL OR NOT ${isLive('s')}
    ${returned})
  ${written}`;

const replaceSql = `WITH ${seen}, w AS (
    UPDATE state_entries s SET value = $4::json, size = $5::int, writer = $8, updated_at = now(), version = s.version + 1,
      expires_at = CASE WHEN $9::boolean THEN s.expires_at ELSE ${expiry} END
    FROM room
    WHERE s.tenant_id = $1 AND s.namespace = $2 AND s.key = $3 AND s.version = $6::bigint AND ${isLive('s')}
      AND room.place AND room.bytes
    ${returned})
  ${written}`;

/** Writes entry and sums in one statement. Throws what the database's caps refuse: see `isOverCap`. */
export async function writeEntry(run: RunSql, tenantId: string, write: EntryWrite): Promise<Written> {
  const { namespace, key, text, size, version, ttlSeconds, writer, keepExpiry } = write;
  const replaces = version !== null && version > 0;
  const [row] = await run<WriteRow>({
    name: replaces ? 'state-replace' : 'state-put',
    text: replaces ? replaceSql : putSql,
    values: [tenantId, namespace, key, text, size, version, ttlSeconds, writer, keepExpiry],
  });
  if (!row) throw new Error('A write to the state store returned nothing.');
  if (row.version !== null) {
    const { expiresAt, createdAt, updatedAt } = row;
    return {
      outcome: 'written',
      version: row.version,
      expiresAt,
      createdAt: createdAt as Date,
      updatedAt: updatedAt as Date,
    };
  }
  const found = row.foundVersion ?? 0;
  const stands = version !== null && (version === 0 ? found > 0 : found !== version);
  if (stands) return { outcome: 'conflict', found, foundWriter: row.foundWriter };
  if (!row.hasNamespace) return { outcome: 'no-namespace' };
  if (row.hasPlace === false) return { outcome: 'no-place' };
  if (row.hasBytes === false) return { outcome: 'no-bytes' };
  // It changed between the start of the statement and its lock.
  return { outcome: 'conflict', found, foundWriter: null };
}

/** Deletes an entry; 'absent' when there was none and no version was given. `version` as in EntryWrite. */
export async function removeEntry(
  run: RunSql,
  tenantId: string,
  { namespace, key, version }: EntryKey & { version: number | null },
): Promise<{ outcome: 'deleted' | 'absent' } | { outcome: 'conflict'; found: number }> {
  const [row] = await run<{ deleted: boolean | null; found: number | null }>({
    name: 'state-delete',
    text: `WITH e AS (SELECT version FROM state_entries s
        WHERE tenant_id = $1 AND namespace = $2 AND key = $3 AND ${isLive('s')}),
      d AS (DELETE FROM state_entries s WHERE tenant_id = $1 AND namespace = $2 AND key = $3
        AND ($4::bigint IS NULL OR $4::bigint = CASE WHEN ${isLive('s')} THEN s.version ELSE 0 END)
        RETURNING ${isLive('s')} AS live)
      SELECT d.live AS deleted, e.version AS found FROM (SELECT 1) one LEFT JOIN e ON true LEFT JOIN d ON true`,
    values: [tenantId, namespace, key, version],
  });
  if (row?.deleted) return { outcome: 'deleted' };
  const found = row?.found ?? 0;
  if (version === null || (version === 0 && found === 0)) return { outcome: 'absent' };
  return { outcome: 'conflict', found };
}
