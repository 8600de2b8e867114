import type { Database } from '#src/infra/postgres/database.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';

export interface OrganizationMetricsRow {
  id: number;
  organizationId: number;
  customerNumber: string;
  currency: string;
  revenue30d: string;
  revenue90d: string;
  revenue365d: string;
  orders30d: number;
  orders90d: number;
  orders365d: number;
  lastOrderAt: Date | null;
}

export interface MetricsFilter {
  tenantId: string;
  /** Null or absent: of every organization. */
  organizationId?: bigint | null;
}

export const metricsList: OrderedList<'CREATED_AT' | 'ORGANIZATION_ID', MetricsFilter> = {
  from: 'organization_metrics',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    ORGANIZATION_ID: [{ sql: 'organization_id', type: 'bigint' }],
  },
  where({ tenantId, organizationId }, parameters) {
    const conditions = [`tenant_id = ${parameters.add(tenantId)}`];
    if (organizationId != null) conditions.push(`organization_id = ${parameters.add(organizationId)}`);
    return conditions;
  },
};

/** A window of `days` that ends with, and includes, the day of $3. */
const windowColumns = (days: number) => `
  coalesce(sum(net) FILTER (WHERE day > $3::date - ${days}), 0)::text AS "revenue${days}d",
  coalesce(sum(orders) FILTER (WHERE day > $3::date - ${days}), 0) AS "orders${days}d"`;

/** The last order is looked up instead of stored, because after a cancellation the one before it is the last again. */
const text = `
  SELECT metrics.id, metrics.organization_id AS "organizationId", customer_number AS "customerNumber", metrics.currency,
    sums.*, (
      SELECT max(placed_at) FROM orders
      WHERE orders.tenant_id = $1 AND orders.organization_id = metrics.organization_id
        AND orders.currency = metrics.currency AND status <> 'cancelled'
    ) AS "lastOrderAt"
  FROM organization_metrics AS metrics
  JOIN organizations ON organizations.tenant_id = $1 AND organizations.id = metrics.organization_id
  CROSS JOIN LATERAL (
    SELECT ${[30, 90, 365].map(windowColumns).join(',')}
    FROM organization_days AS days
    WHERE days.tenant_id = $1 AND days.organization_id = metrics.organization_id
      AND days.currency = metrics.currency AND day > $3::date - 365 AND day <= $3::date
  ) AS sums
  WHERE metrics.tenant_id = $1 AND metrics.id = ANY($2)`;

/** Rows of metrics by id, in any order. The windows are computed from daily sums (UTC) when they are read, so that they move with time. */
export const readMetrics = (
  database: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  ids: readonly (string | bigint)[],
  at = new Date(),
): Promise<OrganizationMetricsRow[]> =>
  database.tenantQuery<OrganizationMetricsRow>(tenantId, {
    name: 'organization-metrics',
    text,
    values: [tenantId, ids, at.toISOString().slice(0, 10)],
  });
