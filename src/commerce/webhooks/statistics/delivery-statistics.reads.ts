import { deliveryDays } from '#src/commerce/webhooks/delivery-log.rules.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import {
  bucketBounds,
  bucketedSql,
  bucketValues,
  type CountedSince,
  countRows,
  readBuckets,
  withCountedSince,
} from '#src/infra/postgres/time-buckets.ts';
import { type Series, type StatisticsRange, toSeries } from '#src/infra/time-buckets.ts';

export interface DeliveryCounts {
  delivered: number;
  pending: number;
  failed: number;
  held: number;
  /** Attempts of these deliveries. */
  attempts: number;
}

/** At most this many destinations are returned, those with the most deliveries. */
export const maxDestinations = 10;

export type DeliverySeries = Series<DeliveryCounts> & CountedSince;

type Row = DeliveryCounts & { key: string; bucket: number | null };

const none: DeliveryCounts = { delivered: 0, pending: 0, failed: 0, held: 0, attempts: 0 };

/**
 * Deliveries that are in the log by when they were made; a series for each destination where `byDestination`. Reads the tenant's part of
 * the log: counting in rollups would add a statement to each batch that a sender records.
 */
export async function readDeliveryStatistics(
  database: Database,
  tenantId: string,
  { destinationId, byDestination }: { destinationId: bigint | null; byDestination: boolean },
  range: StatisticsRange,
): Promise<DeliverySeries[]> {
  const bounds = await bucketBounds(database, tenantId, range);
  const rows = await readBuckets<Row>(database, tenantId, {
    text: bucketedSql(
      `SELECT ${byDestination ? 'destination_id::text' : `''`} AS key, created_at AS at, status, tries + tries_before AS attempts FROM webhook_deliveries
       WHERE tenant_id = $1 AND created_at >= $3 AND created_at < $4${destinationId === null ? '' : ' AND destination_id = $5'}`,
      {
        total: countRows(),
        attempts: { sql: 'sum(attempts)', type: 'bigint' },
        ...Object.fromEntries(
          ['delivered', 'pending', 'failed', 'held'].map((status) => [status, countRows(`status = '${status}'`)]),
        ),
      },
      'total DESC, key',
      maxDestinations,
    ),
    values: [...bucketValues(tenantId, bounds), ...(destinationId === null ? [] : [destinationId])],
  });
  const series = toSeries(rows, bounds, readCounts, none);
  const given = series.length > 0 || byDestination ? series : toSeries([noRows], bounds, readCounts, none);
  return withCountedSince(database, tenantId, given, deliveryDays);
}

const noRows: Row = { key: '', bucket: null, ...none };

const readCounts = ({ delivered, pending, failed, held, attempts }: Row): DeliveryCounts => ({
  delivered,
  pending,
  failed,
  held,
  attempts,
});
