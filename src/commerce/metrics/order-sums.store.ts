import type { Tx } from '#src/infra/postgres/tx.ts';

/** The parts of an order that the metrics of its organization count. */
export interface CountedOrder {
  organizationId: bigint;
  currency: string;
  placedAt: Date;
  net: string;
  /** 1 for an order that is placed, -1 for one that is cancelled. */
  sign: 1 | -1;
}

/**
 * Adds an order to the sums of its day, or removes a cancelled one. Each day has eight rows, chosen by connection, so that orders of one
 * organization seldom wait for one another.
 */
export async function addToDay(tx: Tx, tenantId: string, order: CountedOrder): Promise<void> {
  await tx.query({
    name: 'add-to-organization-day',
    text: `
      WITH known AS (
        INSERT INTO organization_metrics (tenant_id, organization_id, currency)
        SELECT $1, $2, $3 WHERE NOT EXISTS (
          SELECT FROM organization_metrics WHERE tenant_id = $1 AND organization_id = $2 AND currency = $3)
        ON CONFLICT DO NOTHING
      )
      INSERT INTO organization_days AS sums (tenant_id, organization_id, currency, day, slot, net, orders)
      VALUES ($1, $2, $3, ($4::timestamptz AT TIME ZONE 'UTC')::date, pg_backend_pid() % 8, $5::numeric * $6::int, $6)
      ON CONFLICT (tenant_id, organization_id, currency, day, slot)
        DO UPDATE SET net = sums.net + excluded.net, orders = sums.orders + excluded.orders`,
    values: [tenantId, order.organizationId, order.currency, order.placedAt, order.net, order.sign],
  });
}
