import type { Actor } from '#src/infra/deps.ts';
import { exact } from '#src/infra/exact.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import { awaitAll, type Tx } from '#src/infra/postgres/tx.ts';
import { insertAuditSql } from '#src/journal/audit/audit.store.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';
import { type Balance, type Ledger, type Reservation, placeKey } from './booking.rules.ts';
import type { ChangedBeforeId } from './stock-events.rules.ts';
import { auditedStock, stockChanged, stockLow } from './stock.declarations.ts';
import { maxLocations, type Movement } from './stock.inputs.ts';

export interface Place {
  sku: string;
  location: string;
}

export const movementColumns = `id, sku, location, kind, trim_scale(quantity)::text AS quantity, trim_scale(delta)::text AS delta,
  trim_scale(reserved_delta)::text AS "reservedDelta", reference, note, reservation, expires_at AS "expiresAt",
  occurred_at AS "occurredAt", created_at AS "createdAt"`;

interface LockedRow extends Place {
  sold: boolean;
  /** True if the place had a balance before the wait for the lock. */
  made: boolean;
  on_hand: string | null;
  reserved: string;
  reorder_point: string | null;
  at: Date;
}

type HeldRow = Omit<Reservation, 'remaining'> & { remaining: string };
/** A row read as JSON: timestamps are strings. */
type WrittenAsJson<Row> = {
  [Key in keyof Row]: Row[Key] extends Date ? string : Row[Key] extends Date | null ? string | null : Row[Key];
};

const instantOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text));

/**
 * Reads movements that were booked under the references, and reservations: expired ones at the places, and those that `others` adds. Each
 * row is read by its full key, whatever the planner estimates for a table that has grown since it was analysed: two indexes of the
 * reservations begin with the tenant alone, and reading all reservations took 20 ms at 6,000.
 */
const readLedgerSql = (others: string): string => `SELECT
  (SELECT coalesce(json_agg(m), '[]') FROM (
    SELECT ${movementColumns} FROM unnest($2::text[]) AS asked(key)
    JOIN stock_movements ON tenant_id = $1 AND reference = asked.key) AS m) AS booked,
  (SELECT coalesce(json_agg(h), '[]') FROM (
    SELECT reference, sku, location, remaining::text, expires_at AS "expiresAt" FROM (
      SELECT r.* FROM unnest($3::text[], $4::text[]) AS place(sku, location) CROSS JOIN LATERAL (
        SELECT * FROM stock_reservations
        WHERE tenant_id = $1 AND sku = place.sku AND location = place.location AND expires_at <= statement_timestamp()
        OFFSET 0) AS r
      ${others}
    ) AS r ORDER BY expires_at NULLS LAST, reference) AS h) AS held`;

const readSql = readLedgerSql('');

/**
 * With the reservations of the references in $5, and all at the places in $6 and $7, which a release without a named reservation may use
 * up.
 */
const readNamedSql = readLedgerSql(`
      UNION SELECT r.* FROM unnest($5::text[]) AS asked(key)
      JOIN stock_reservations r ON r.tenant_id = $1 AND r.reference = asked.key
      UNION SELECT r.* FROM unnest($6::text[], $7::text[]) AS place(sku, location) CROSS JOIN LATERAL (
        SELECT * FROM stock_reservations WHERE tenant_id = $1 AND sku = place.sku AND location = place.location
        OFFSET 0) AS r`);

/**
 * Locks the balances of the places in a fixed order, and reads the data that movements there depend on. Commits of other transactions
 * during the wait are read after the locks, by a separate statement with its own snapshot. If a place of a sold article has no balance yet,
 * `ifMissing` says what to lock: nothing, so that the caller creates the balance before it holds any lock (created afterwards, it would be
 * locked out of order, and two callers could deadlock), or the places that have one.
 */
export async function lockLedger(
  tx: Tx,
  tenantId: string,
  wanted: { places: Place[]; references: string[]; reservations: string[]; released: Place[] },
  { ifMissing }: { ifMissing: 'lock-nothing' | 'lock-others' },
): Promise<Ledger & { booked: Map<string, Movement>; missing: Place[] }> {
  const [skus, locations] = toColumns(wanted.places, 'sku', 'location');
  const [releasedSkus, releasedLocations] = toColumns(wanted.released, 'sku', 'location');
  const locking = tx.query<LockedRow>({
    name: 'lock-stock-balances',
    // Scalar subqueries, because the planner may build a hash of all products of the tenant for EXISTS.
    text: `WITH w AS MATERIALIZED (
        SELECT sku, location, (SELECT true FROM products p WHERE p.tenant_id = $1 AND p.sku = place.sku) IS NOT NULL AS sold,
          (SELECT true FROM stock_balances b
            WHERE b.tenant_id = $1 AND b.sku = place.sku AND b.location = place.location) IS NOT NULL AS made
        FROM unnest($2::text[], $3::text[]) AS place(sku, location) ORDER BY sku, location
      )
      SELECT w.sku, w.location, b.on_hand::text, b.reserved::text, b.reorder_point::text, clock_timestamp() AS at,
        w.sold, w.made
      FROM w LEFT JOIN LATERAL (
        SELECT on_hand, reserved, reorder_point FROM stock_balances
        WHERE tenant_id = $1 AND sku = w.sku AND location = w.location
          AND ($4 OR NOT EXISTS (SELECT FROM w AS missing WHERE missing.sold AND NOT missing.made)) FOR UPDATE
      ) AS b ON true`,
    values: [tenantId, skus, locations, ifMissing === 'lock-others'],
  });
  const named = wanted.reservations.length > 0 || wanted.released.length > 0;
  const reading = tx.query<{ booked: WrittenAsJson<Movement>[]; held: WrittenAsJson<HeldRow>[] }>({
    name: named ? 'read-stock-ledger-and-reservations' : 'read-stock-ledger',
    text: named ? readNamedSql : readSql,
    values: [
      tenantId,
      wanted.references,
      skus,
      locations,
      ...(named ? [wanted.reservations, releasedSkus, releasedLocations] : []),
    ],
  });
  // Sent together: a batch then waits for three responses instead of four.
  const [locked, { rows }] = await awaitAll([locking, reading]);
  const { booked = [], held = [] } = rows[0] ?? {};
  const balances = locked.rows.flatMap(({ sku, location, on_hand, reserved, reorder_point }) => {
    if (on_hand === null) return [];
    const reorderPoint = reorder_point === null ? null : exact(reorder_point);
    const balance: Balance = { onHand: exact(on_hand), reserved: exact(reserved), reorderPoint };
    return [[placeKey(sku, location), balance] as const];
  });
  return {
    at: new Date(Math.max(...locked.rows.map(({ at }) => at.getTime()))),
    sold: new Set(locked.rows.flatMap(({ sku, sold }) => (sold ? [sku] : []))),
    missing: locked.rows.filter(({ sold, made }) => sold && !made),
    balances: new Map(balances),
    reservations: new Map(
      held.map((row) => [
        row.reference,
        { ...row, remaining: exact(row.remaining), expiresAt: instantOrNull(row.expiresAt) },
      ]),
    ),
    booked: new Map(
      booked.map((row) => [
        row.reference,
        {
          ...row,
          expiresAt: instantOrNull(row.expiresAt),
          occurredAt: new Date(row.occurredAt),
          createdAt: new Date(row.createdAt),
        },
      ]),
    ),
  };
}

/**
 * The rows of `places` whose article has a product, each with its product locked, as is required to create a balance. Deleting a product
 * marks the balances that it finds. The lock makes the deletion wait for a balance that is being created, and no balance is created for a
 * product that is being deleted. $1 is the tenant; `places` has a column `sku`.
 */
export const lockSoldSql = (places: string): string => `
  SELECT place.* FROM (${places} ORDER BY sku) AS place CROSS JOIN LATERAL (
    SELECT FROM products WHERE tenant_id = $1 AND sku = place.sku FOR KEY SHARE
  ) AS product`;

/**
 * Creates zero balances at the places of sold articles and returns those that it created; another transaction may have been first. An
 * article with the maximum of locations gets none; concurrent transactions do not count each other's.
 */
export async function makeBalances(tx: Tx, tenantId: string, places: Place[]): Promise<Place[]> {
  const { rows } = await tx.query<Place>({
    name: 'make-stock-balances',
    text: `INSERT INTO stock_balances (tenant_id, sku, location)
      SELECT $1, sku, location FROM (
        SELECT sku, location, row_number() OVER (PARTITION BY sku ORDER BY location) AS ordinal
        FROM (${lockSoldSql('SELECT * FROM unnest($2::text[], $3::text[]) AS asked(sku, location)')}) AS sold
      ) AS wanted
      WHERE ordinal <= ${maxLocations} - (SELECT count(*) FROM stock_balances b WHERE b.tenant_id = $1 AND b.sku = wanted.sku)
      ORDER BY sku, location
      ON CONFLICT DO NOTHING RETURNING sku, location`,
    values: [tenantId, ...toColumns(places, 'sku', 'location')],
  });
  return rows;
}

/** Deletes balances that were created for movements which were then refused: a location begins with its first movement. */
export async function unmakeBalances(tx: Tx, tenantId: string, places: Place[]): Promise<void> {
  await tx.query({
    name: 'unmake-stock-balances',
    text: `DELETE FROM stock_balances b USING unnest($2::text[], $3::text[]) AS place(sku, location)
      WHERE b.tenant_id = $1 AND b.sku = place.sku AND b.location = place.location`,
    values: [tenantId, ...toColumns(places, 'sku', 'location')],
  });
}

/** Rows as jsonb, for many columns in one parameter: decimals are text, so that they stay exact. */
export interface LedgerRows {
  /** Data of `stock.changed`, each with its movement, from which the ledger's row is made. */
  changes: ChangedBeforeId[];
  balances: object[];
  /** Reservations with a remaining quantity. */
  reservations: object[];
  /** References of reservations without one. */
  usedUp: string[];
  /** Data of `stock.low`. */
  lows: object[];
}

/** Sets the figures of existing balances to those of `source`: sku, location, on_hand, reserved. $1 is the tenant. */
export const setBalancesSql = (source: string): string => `
  -- A join would leave it to the planner whether to go by key, and it has not on tables that have just grown.
  INSERT INTO stock_balances (tenant_id, sku, location, on_hand, reserved)
  SELECT $1, n.sku, n.location, n.on_hand, n.reserved FROM ${source}
  ON CONFLICT (tenant_id, sku, location) DO UPDATE SET on_hand = excluded.on_hand, reserved = excluded.reserved`;

/** Appends the rows of `source`, which has the columns of the ledger except the tenant, $1. */
export const appendMovementsSql = (source: string): string => `
  INSERT INTO stock_movements (tenant_id, id, sku, location, kind, quantity, delta, reserved_delta, reference, note,
    reservation, expires_at, occurred_at, created_at)
  SELECT $1, id, sku, location, kind, quantity, delta, reserved_delta, reference, note, reservation, expires_at,
    occurred_at, created_at FROM ${source}`;

/** $1 the tenant, $2 `changes`, $3 `balances`, $4 `lows`; `others` are further statements that change rows. */
const writeLedgerSql = (others: string): string => `WITH given AS MATERIALIZED (
    SELECT nextval('stock_movements_id_seq') AS id, event, m.*
    FROM jsonb_array_elements($2::jsonb) AS event, jsonb_to_record(event -> 'movement') AS m(
      sku text, location text, kind text, quantity numeric, delta numeric, reserved_delta numeric, reference text,
      note text, reservation text, expires_at timestamptz, occurred_at timestamptz, created_at timestamptz)
  ), balanced AS (
    ${setBalancesSql('jsonb_to_recordset($3::jsonb) AS n(sku text, location text, on_hand numeric, reserved numeric)')}
  ),${others} published AS (${insertEventsSql(`(
      SELECT $1 AS tenant_id, '${stockChanged.name}' AS topic,
        jsonb_set(event, '{movement,id}', to_jsonb(id)) AS data, '{}'::jsonb AS metadata FROM given
      UNION ALL SELECT $1, '${stockLow.name}', low, '{}'::jsonb FROM jsonb_array_elements($4::jsonb) AS low) AS event`)}
  )
  ${appendMovementsSql('given')} RETURNING id, reference`;

const writeSql = writeLedgerSql('');

/** With `reservations` in $5 and `usedUp` in $6. */
const writeReservedSql = writeLedgerSql(`
  used AS (
    DELETE FROM stock_reservations r USING unnest($6::text[]) AS used(reference)
    WHERE r.tenant_id = $1 AND r.reference = used.reference
  ), held AS (
    INSERT INTO stock_reservations (tenant_id, reference, sku, location, remaining, expires_at)
    SELECT $1, r.* FROM jsonb_to_recordset($5::jsonb) AS r(
      reference text, sku text, location text, remaining numeric, expires_at timestamptz)
    ON CONFLICT (tenant_id, reference) DO UPDATE SET remaining = excluded.remaining
  ),`);

/** Writes movements with all their changes and events, in one statement; returns the ids by reference. */
export async function writeLedger(tx: Tx, tenantId: string, rows: LedgerRows): Promise<Map<string, number>> {
  // Even without changes, including the reservations takes a twentieth of a batch's time.
  const reserved = rows.reservations.length > 0 || rows.usedUp.length > 0;
  const written = await tx.query<{ id: number; reference: string }>({
    name: reserved ? 'write-stock-ledger-and-reservations' : 'write-stock-ledger',
    text: reserved ? writeReservedSql : writeSql,
    values: [
      tenantId,
      JSON.stringify(rows.changes),
      JSON.stringify(rows.balances),
      JSON.stringify(rows.lows),
      ...(reserved ? [JSON.stringify(rows.reservations), rows.usedUp] : []),
    ],
  });
  return new Map(written.rows.map(({ id, reference }) => [reference, id]));
}

/** Sets the reorder point; returns whether there is such a product, and whether it may have a balance at the place. */
export async function writeReorderPoint(
  tx: Tx,
  tenantId: string,
  { sku, location }: Place,
  reorderPoint: string | null,
): Promise<{ isSold: boolean; isWritten: boolean }> {
  const { rows } = await tx.query<{ isSold: boolean; isWritten: boolean }>({
    name: 'write-reorder-point',
    text: `WITH product AS (${lockSoldSql('SELECT $2::text AS sku')}), written AS (
        INSERT INTO stock_balances (tenant_id, sku, location, reorder_point) SELECT $1, sku, $3, $4::numeric FROM product
        WHERE EXISTS (SELECT FROM stock_balances WHERE tenant_id = $1 AND sku = $2 AND location = $3)
          OR (SELECT count(*) FROM stock_balances WHERE tenant_id = $1 AND sku = $2) < ${maxLocations}
        ON CONFLICT (tenant_id, sku, location) DO UPDATE SET reorder_point = excluded.reorder_point
        RETURNING sku
      ) SELECT EXISTS (SELECT FROM product) AS "isSold", EXISTS (SELECT FROM written) AS "isWritten"`,
    values: [tenantId, sku, location, reorderPoint],
  });
  return rows[0] as { isSold: boolean; isWritten: boolean };
}

/** Audits the bookings of users, in one statement. */
export async function auditBookings(tx: Tx, bookings: readonly { actor: Actor; movement: Movement }[]): Promise<void> {
  if (bookings.length === 0) return;
  const entries = bookings.map(({ actor, movement: { sku, location, kind, quantity, reference } }) => ({
    org_id: actor.orgId,
    tenant_id: actor.tenantId,
    actor_sub: actor.sub,
    actor_email: actor.email,
    channel: actor.channel,
    resource_id: sku,
    metadata: { location, kind, quantity, reference },
  }));
  await tx.query({
    name: 'audit-stock-bookings',
    text: insertAuditSql(`(SELECT *, 'book' AS action, '${auditedStock.type}' AS resource_type FROM jsonb_to_recordset($1::jsonb)
      AS e(org_id text, tenant_id text, actor_sub text, actor_email text, channel text, resource_id text, metadata jsonb)) AS entry`),
    values: [JSON.stringify(entries)],
  });
}
