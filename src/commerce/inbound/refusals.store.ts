import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Refused } from './refusals.inputs.ts';

/** Adds to the counts of this hour. In a fixed order, so that two batches cannot deadlock. */
export async function countRefusals(tx: Tx, refused: (Refused & { count: number })[]): Promise<void> {
  const rows = refused.map((each) => ({ ...each, sample: JSON.stringify(each.sample) }));
  await tx.query({
    name: 'count-inbound-refusals',
    text: `
      INSERT INTO inbound_refusals AS r (tenant_id, endpoint_id, hour, reason, count, sample, last_at)
      SELECT tenant_id, endpoint_id, date_trunc('hour', now()), reason::inbound_refusal_reason, count, sample::jsonb, now()
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[]) AS t(tenant_id, endpoint_id, reason, count, sample)
      ORDER BY tenant_id, endpoint_id, reason
      ON CONFLICT (tenant_id, endpoint_id, hour, reason) DO UPDATE
        SET count = r.count + excluded.count, sample = excluded.sample, last_at = excluded.last_at`,
    values: toColumns(rows, 'tenantId', 'endpoint', 'reason', 'count', 'sample'),
  });
}
