import { columnsOf } from '#src/infra/postgres/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';

/** Statements for a batch of calls of one tenant: each is one round trip, however many calls there are. */

/** Days for which an event id is remembered. */
export const keptDays = 30;

export interface CallKey {
  tenantId: string;
  /** The database id. */
  endpoint: number;
  eventId: string;
}

/** Differs once an endpoint has changed, or the secret before its present one has expired. */
export const endpointVersion = (endpoint: string): string =>
  `concat(${endpoint}.xmin, ' ', ${endpoint}.previous_secret_expires_at > now())`;

/** A call to be stored; `topic`, `data` and `metadata` (JSON text) are those of the event it makes, null where it fires a trigger. */
export interface NewCall extends CallKey {
  /** Of the endpoint as the call was verified against it. */
  version: string;
  topic: string | null;
  data: string | null;
  metadata: string | null;
}

/**
 * Stores the calls whose events are new to their endpoints, with the events they make; `changed` are those whose endpoints are not of
 * their version any more. An event that another transaction is storing is waited for. In order, so that two batches do not wait for
 * each other.
 */
export async function storeCalls(tx: Tx, calls: NewCall[]): Promise<('new' | 'duplicate' | 'changed')[]> {
  const { rows } = await tx.query<{ ord: number; isNew: boolean }>({
    name: 'store-inbound-calls',
    text: `
      WITH given AS MATERIALIZED (
        SELECT t.* FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY
          AS t(tenant_id, endpoint_id, event_id, topic, data, metadata, version, ord)
        JOIN inbound_endpoints e ON e.tenant_id = t.tenant_id AND e.id = t.endpoint_id AND ${endpointVersion('e')} = t.version
      ), stored AS (
        INSERT INTO inbound_calls AS c (tenant_id, endpoint_id, event_id)
        SELECT tenant_id, endpoint_id, event_id FROM given ORDER BY 1, 2, 3
        ON CONFLICT (tenant_id, endpoint_id, event_id) DO UPDATE
          SET received_at = now(), run_id = NULL, dead_letter_id = NULL
          WHERE c.received_at < now() - interval '${keptDays} days'
        RETURNING tenant_id, endpoint_id, event_id
      ), fresh AS (SELECT given.* FROM given JOIN stored USING (tenant_id, endpoint_id, event_id)),
      published AS (
        ${insertEventsSql(`(
          SELECT tenant_id, topic, data::jsonb AS data, metadata::jsonb AS metadata FROM fresh WHERE topic IS NOT NULL ORDER BY ord
        ) AS event`)}
      )
      SELECT ord, false AS "isNew" FROM given UNION ALL SELECT ord, true FROM fresh`,
    values: columnsOf(calls, 'tenantId', 'endpoint', 'eventId', 'topic', 'data', 'metadata', 'version'),
  });
  const isNew = new Map<number, boolean>();
  for (const row of rows) isNew.set(row.ord, row.isNew || isNew.get(row.ord) === true);
  return calls.map((_call, place) => {
    const found = isNew.get(place + 1);
    return found === undefined ? 'changed' : found ? 'new' : 'duplicate';
  });
}

/** Records what each call's trigger started. */
export async function nameOutcomes(
  tx: Tx,
  calls: (CallKey & { runId: number | null; deadLetterId: number | null })[],
): Promise<void> {
  await tx.query({
    name: 'name-inbound-outcomes',
    text: `UPDATE inbound_calls c SET run_id = t.run_id, dead_letter_id = t.dead_letter_id
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[]) AS t(tenant_id, endpoint_id, event_id, run_id, dead_letter_id)
      WHERE c.tenant_id = t.tenant_id AND c.endpoint_id = t.endpoint_id AND c.event_id = t.event_id`,
    values: columnsOf(calls, 'tenantId', 'endpoint', 'eventId', 'runId', 'deadLetterId'),
  });
}

/** Forgets calls that had no effect, so that they may come again. */
export async function forgetCalls(tx: Tx, calls: CallKey[]): Promise<void> {
  await tx.query({
    name: 'forget-inbound-calls',
    text: `DELETE FROM inbound_calls c USING unnest($1::text[], $2::bigint[], $3::text[]) AS t(tenant_id, endpoint_id, event_id)
      WHERE c.tenant_id = t.tenant_id AND c.endpoint_id = t.endpoint_id AND c.event_id = t.event_id`,
    values: columnsOf(calls, 'tenantId', 'endpoint', 'eventId'),
  });
}
