import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** A balance that differs from the sums of the ledger or the reservations. */
export interface Difference {
  sku: string;
  location: string;
  onHand: string;
  reserved: string;
  /** The sums of the ledger. */
  ledgerOnHand: string;
  ledgerReserved: string;
  /** The sum of the remaining quantities of reservations. */
  held: string;
}

type Reads = Pick<Database, 'tenantQuery'>;

/** SKUs that one statement verifies. */
const step = 2_000;

/** The last SKU of the batch after this one; null if the rest is one batch. */
export async function findLastSku({ tenantQuery }: Reads, tenantId: string, after: string): Promise<string | null> {
  const [row] = await tenantQuery<{ sku: string }>(tenantId, {
    name: 'stock-part',
    text: `SELECT sku FROM stock_balances WHERE tenant_id = $1 AND sku > $2 GROUP BY sku ORDER BY sku OFFSET $3 LIMIT 1`,
    values: [tenantId, after, step],
  });
  return row?.sku ?? null;
}

/** One statement, and so one snapshot: a movement and its balance are written by one statement. */
export const findDifferences = (
  { tenantQuery }: Reads,
  tenantId: string,
  { after, upTo }: { after: string; upTo: string | null },
): Promise<Difference[]> =>
  tenantQuery<Difference>(tenantId, {
    name: 'verify-stock',
    text: `WITH balance AS (
        SELECT sku, location, on_hand, reserved FROM stock_balances
        WHERE tenant_id = $1 AND sku > $2 AND ($3::text IS NULL OR sku <= $3)
      ), ledger AS (
        SELECT sku, location, sum(delta) AS on_hand, sum(reserved_delta) AS reserved FROM stock_movements
        WHERE tenant_id = $1 AND sku > $2 AND ($3::text IS NULL OR sku <= $3) GROUP BY sku, location
      ), held AS (
        SELECT sku, location, sum(remaining) AS remaining FROM stock_reservations
        WHERE tenant_id = $1 AND sku > $2 AND ($3::text IS NULL OR sku <= $3) GROUP BY sku, location
      ), compared AS (
        SELECT sku, location, coalesce(b.on_hand, 0) AS on_hand, coalesce(b.reserved, 0) AS reserved,
          coalesce(l.on_hand, 0) AS ledger_on_hand, coalesce(l.reserved, 0) AS ledger_reserved, coalesce(h.remaining, 0) AS held
        FROM balance b FULL JOIN ledger l USING (sku, location) FULL JOIN held h USING (sku, location)
      )
      SELECT sku, location, trim_scale(on_hand)::text AS "onHand", trim_scale(reserved)::text AS reserved,
        trim_scale(ledger_on_hand)::text AS "ledgerOnHand", trim_scale(ledger_reserved)::text AS "ledgerReserved",
        trim_scale(held)::text AS held
      FROM compared WHERE on_hand <> ledger_on_hand OR reserved <> ledger_reserved OR reserved <> held
      ORDER BY sku, location LIMIT 1000`,
    values: [tenantId, after, upTo],
  });

/** True if the last nightly check began long enough ago that another is due. */
export async function isCheckDue(system: Pick<Tx, 'query'>): Promise<boolean> {
  const { rows } = await system.query(`SELECT FROM stock_checks WHERE checked_at > now() - interval '23 hours'`);
  return rows.length === 0;
}

export async function recordCheck(system: Pick<Tx, 'query'>, differences: number): Promise<void> {
  await system.query(
    `INSERT INTO stock_checks (checked_at, differences) VALUES (now(), $1)
     ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at, differences = excluded.differences`,
    [differences],
  );
}

/** The result of the last nightly check; null before the first. */
export async function findCheck(system: Pick<Tx, 'query'>): Promise<{ checkedAt: Date; differences: number } | null> {
  const { rows } = await system.query<{ checkedAt: Date; differences: number }>(
    'SELECT checked_at AS "checkedAt", differences FROM stock_checks',
  );
  return rows[0] ?? null;
}
