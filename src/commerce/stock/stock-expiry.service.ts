import type { Deps } from '#src/infra/deps.ts';
import { forEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import { releaseExpired } from './booking.service.ts';
import type { Place } from './stock.store.ts';

const batch = 200;

/**
 * Books the releases of one batch of expired reservations, of all tenants, and returns whether there may be more. Skips a locked balance:
 * the transaction that books there also releases expired reservations.
 */
export const releaseExpiredReservations = ({ database }: Pick<Deps, 'database'>): Promise<boolean> =>
  database.withSystem(async (tx) => {
    const { rows } = await tx.query<Place & { tenant_id: string }>({
      name: 'claim-expired-reservations',
      text: `WITH expired AS MATERIALIZED (
          SELECT DISTINCT tenant_id, sku, location FROM (
            SELECT tenant_id, sku, location FROM stock_reservations WHERE expires_at <= now() ORDER BY expires_at LIMIT $1
          ) AS soonest
        )
        SELECT b.tenant_id, b.sku, b.location FROM expired e
        JOIN stock_balances b ON b.tenant_id = e.tenant_id AND b.sku = e.sku AND b.location = e.location
        FOR UPDATE OF b SKIP LOCKED`,
      values: [batch],
    });
    if (rows.length === 0) return false;
    await forEachTenant(
      tx,
      rows,
      (row) => row.tenant_id,
      async (scoped, own) => {
        await releaseExpired(scoped, own[0]?.tenant_id as string, own);
        return own;
      },
    );
    return true;
  });
