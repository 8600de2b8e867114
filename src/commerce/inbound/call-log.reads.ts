import type { InboundRefusalReason } from '#prisma/enums.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import type { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';

/** The log of one endpoint. */
interface OfEndpoint {
  tenantId: string;
  /** The database id. */
  endpoint: number;
}

const ofEndpoint = ({ tenantId, endpoint }: OfEndpoint, parameters: SqlParameters): string[] => [
  `tenant_id = ${parameters.add(tenantId)}`,
  `endpoint_id = ${parameters.add(endpoint)}`,
];

export const callList: OrderedList<'RECEIVED_AT', OfEndpoint> = {
  from: 'inbound_calls',
  id: { sql: 'event_id', type: 'text' },
  orders: { RECEIVED_AT: [{ sql: 'received_at', type: 'timestamptz' }] },
  where: ofEndpoint,
};

/** An accepted call. */
export interface LoggedCall {
  eventId: string;
  runId: number | null;
  deadLetterId: number | null;
  receivedAt: Date;
}

export const findCalls = (
  database: Database,
  { tenantId, endpoint }: OfEndpoint,
  eventIds: string[],
): Promise<LoggedCall[]> =>
  database.tenantQuery<LoggedCall & Record<string, unknown>>(tenantId, {
    text: `SELECT event_id AS "eventId", run_id AS "runId", dead_letter_id AS "deadLetterId", received_at AS "receivedAt"
      FROM inbound_calls WHERE tenant_id = $1 AND endpoint_id = $2 AND event_id = ANY($3::text[])`,
    values: [tenantId, endpoint, eventIds],
  });

export const refusalList: OrderedList<'LAST_AT', OfEndpoint> = {
  from: 'inbound_refusals',
  id: { sql: `(extract(epoch FROM hour)::bigint || ' ' || reason::text)`, type: 'text' },
  orders: { LAST_AT: [{ sql: 'last_at', type: 'timestamptz' }] },
  where: ofEndpoint,
};

/** The calls that an endpoint refused for one reason in one hour. */
export interface LoggedRefusals {
  id: string;
  reason: InboundRefusalReason;
  count: number;
  sample: unknown;
  hour: Date;
  lastAt: Date;
}

export const findRefusals = (
  database: Database,
  { tenantId, endpoint }: OfEndpoint,
  ids: string[],
): Promise<LoggedRefusals[]> =>
  database.tenantQuery<LoggedRefusals & Record<string, unknown>>(tenantId, {
    text: `SELECT ${refusalList.id.sql} AS id, reason::text, count, sample, hour, last_at AS "lastAt"
      FROM inbound_refusals WHERE tenant_id = $1 AND endpoint_id = $2 AND ${refusalList.id.sql} = ANY($3::text[])`,
    values: [tenantId, endpoint, ids],
  });
