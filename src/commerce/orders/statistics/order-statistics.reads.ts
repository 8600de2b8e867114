import type { Database } from '#src/infra/postgres/database.ts';
import { bucketBounds, bucketedSql, bucketValues, countRows, readBuckets } from '#src/infra/postgres/time-buckets.ts';
import { type Series, type StatisticsRange, toSeries } from '#src/infra/time-buckets.ts';

export interface OrderCounts {
  orders: number;
  cancelled: number;
  /** Decimals, without cancelled orders. */
  net: string;
  gross: string;
}

export interface OrderStatisticsFilter {
  channel?: string | null;
  organizationId?: bigint | null;
}

/** At most this many currencies are returned, those with the most orders. */
export const maxCurrencies = 10;

type Row = OrderCounts & { key: string; bucket: number | null };

/** Orders by when they were placed, a series for each currency. Reads the orders of the range from the index by `placed_at`. */
export async function readOrderStatistics(
  database: Database,
  tenantId: string,
  { channel, organizationId }: OrderStatisticsFilter,
  range: StatisticsRange,
): Promise<Series<OrderCounts>[]> {
  const bounds = await bucketBounds(database, tenantId, range);
  const rows = await readBuckets<Row>(database, tenantId, {
    text: bucketedSql(
      `SELECT currency AS key, placed_at AS at, status = 'cancelled' AS is_cancelled, net, gross FROM orders
       WHERE tenant_id = $1 AND placed_at >= $3 AND placed_at < $4
         AND ($5::text IS NULL OR channel = $5) AND ($6::bigint IS NULL OR organization_id = $6)`,
      {
        orders: countRows('NOT is_cancelled'),
        cancelled: countRows('is_cancelled'),
        net: { sql: 'coalesce(sum(net) FILTER (WHERE NOT is_cancelled), 0)', type: 'text' },
        gross: { sql: 'coalesce(sum(gross) FILTER (WHERE NOT is_cancelled), 0)', type: 'text' },
      },
      'orders DESC, key',
      maxCurrencies,
    ),
    values: [...bucketValues(tenantId, bounds), channel ?? null, organizationId ?? null],
  });
  return toSeries(rows, bounds, readCounts, { orders: 0, cancelled: 0, net: '0', gross: '0' });
}

const readCounts = ({ orders, cancelled, net, gross }: Row): OrderCounts => ({ orders, cancelled, net, gross });
