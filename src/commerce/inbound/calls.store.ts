import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';

/** Statements for a batch of calls of one tenant: one round trip each, however many calls there are. */

/** Days until an event id is forgotten. */
export const keptDays = 30;

export interface CallKey {
  tenantId: string;
  /** The database id. */
  endpoint: number;
  eventId: string;
}

/** SQL for a version that changes when an endpoint changes, or when its former secret expires. */
export const endpointVersion = (endpoint: string): string =>
  `concat(${endpoint}.xmin, ' ', ${endpoint}.previous_secret_expires_at > now())`;

/** A call to be stored; `topic`, `data` and `metadata` (JSON text) are those of its event, null if it fires a trigger. */
export interface NewCall extends CallKey {
  /** The version of the endpoint that the call was verified against. */
  version: string;
  topic: string | null;
  data: string | null;
  metadata: string | null;
}

/**
 * Stores the calls whose events are new to their endpoints, with the events that they publish; `changed` are calls whose endpoint has
 * another version by now. Waits for an event that another transaction is storing. Rows are written in a fixed order, so that two batches
 * cannot deadlock.
 *
 * Values that calls of one endpoint share are sent and read once. `IN (...) IS TRUE` uses a hash table; a join would compare each call with
 * each other, because this connection's plans have hash joins disabled (docs/decisions/system-role-plans-by-key.md).
 */
export async function storeCalls(tx: Tx, calls: NewCall[]): Promise<('new' | 'duplicate' | 'changed')[]> {
  const places = new Map<string, number>();
  const endpoints: NewCall[] = [];
  const given = calls.map((call) => {
    const { endpoint, version, metadata, eventId, data } = call;
    // The metadata of calls that are traced differ.
    const key = `${endpoint} ${version} ${metadata}`;
    const place = places.get(key) ?? endpoints.push(call);
    places.set(key, place);
    return { place, eventId, data };
  });
  const { rows } = await tx.query<{ met: number[] | null; fresh: number[] | null }>({
    name: 'store-inbound-calls',
    text: `
      WITH met AS MATERIALIZED (
        SELECT place::int FROM unnest($2::bigint[], $3::text[]) WITH ORDINALITY AS t(endpoint_id, version, place)
        WHERE version = (SELECT ${endpointVersion('e')} FROM inbound_endpoints e WHERE e.tenant_id = $1 AND e.id = t.endpoint_id)
      ), given AS MATERIALIZED (
        SELECT *, ($2::bigint[])[place] AS endpoint_id FROM (
          SELECT generate_subscripts($6::int[], 1) AS ord, unnest($6::int[]) AS place, unnest($7::text[]) AS event_id, unnest($8::jsonb[]) AS data
        ) AS call WHERE (place IN (SELECT place FROM met)) IS TRUE
      ), stored AS (
        INSERT INTO inbound_calls AS c (tenant_id, endpoint_id, event_id)
        SELECT $1, endpoint_id, event_id FROM given ORDER BY 2, 3
        ON CONFLICT (tenant_id, endpoint_id, event_id) DO UPDATE
          SET received_at = now(), run_id = NULL, dead_letter_id = NULL
          WHERE c.received_at < now() - interval '${keptDays} days'
        RETURNING endpoint_id, event_id
      ), judged AS MATERIALIZED (
        SELECT ord, place, data, ((endpoint_id, event_id) IN (SELECT endpoint_id, event_id FROM stored)) IS TRUE AS is_fresh FROM given
      ), published AS (
        ${insertEventsSql(`(
          SELECT $1 AS tenant_id, ($4::text[])[place] AS topic, data, ($5::jsonb[])[place] AS metadata
          FROM judged WHERE is_fresh AND ($4::text[])[place] IS NOT NULL ORDER BY ord
        ) AS event`)}
      )
      SELECT array_agg(ord) AS met, array_agg(ord) FILTER (WHERE is_fresh) AS fresh FROM judged`,
    values: [
      calls[0]?.tenantId,
      ...toColumns(endpoints, 'endpoint', 'version', 'topic', 'metadata'),
      ...toColumns(given, 'place', 'eventId', 'data'),
    ],
  });
  const met = new Set(rows[0]?.met);
  const fresh = new Set(rows[0]?.fresh);
  return calls.map((_call, index) => (fresh.has(index + 1) ? 'new' : met.has(index + 1) ? 'duplicate' : 'changed'));
}

/** Records the run or dead letter of each call. */
export async function nameOutcomes(
  tx: Tx,
  calls: (CallKey & { runId: number | null; deadLetterId: number | null })[],
): Promise<void> {
  await tx.query({
    name: 'name-inbound-outcomes',
    text: `UPDATE inbound_calls c SET run_id = t.run_id, dead_letter_id = t.dead_letter_id
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[]) AS t(tenant_id, endpoint_id, event_id, run_id, dead_letter_id)
      WHERE c.tenant_id = t.tenant_id AND c.endpoint_id = t.endpoint_id AND c.event_id = t.event_id`,
    values: toColumns(calls, 'tenantId', 'endpoint', 'eventId', 'runId', 'deadLetterId'),
  });
}

/** Deletes calls that had no effect, so that they may be sent again. */
export async function forgetCalls(tx: Tx, calls: CallKey[]): Promise<void> {
  await tx.query({
    name: 'forget-inbound-calls',
    text: `DELETE FROM inbound_calls c USING unnest($1::text[], $2::bigint[], $3::text[]) AS t(tenant_id, endpoint_id, event_id)
      WHERE c.tenant_id = t.tenant_id AND c.endpoint_id = t.endpoint_id AND c.event_id = t.event_id`,
    values: toColumns(calls, 'tenantId', 'endpoint', 'eventId'),
  });
}
