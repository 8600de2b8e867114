import type { Database } from '#src/infra/postgres/database.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import { listedStepColumns, type StepRow } from './run-details.reads.ts';
import { runColumns, type RunRow } from './runs.reads.ts';

/** A run, and the event that fired its trigger. */
export interface EventRun {
  eventId: string;
  run: RunRow;
}

/** The runs that each of these events started, in the order they were made, at most `most` of each. */
export async function findEventRuns(
  database: Database,
  tenantId: string,
  eventIds: readonly string[],
  most: number,
): Promise<EventRun[]> {
  const rows = await database.tenantQuery<RunRow & { eventId: string }>(tenantId, {
    name: 'runs-of-events',
    text: `SELECT wanted.event_id AS "eventId", ${runColumns} FROM unnest($2::uuid[]) AS wanted(event_id) CROSS JOIN LATERAL (
        SELECT * FROM runs WHERE tenant_id = $1 AND event_id = wanted.event_id ORDER BY id LIMIT ${most}
      ) AS r JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id ORDER BY r.id`,
    values: [tenantId, eventIds],
    types: isoInstants,
  });
  return rows.map(({ eventId, ...run }) => ({ eventId, run }));
}

/** The steps of each of these runs that sent requests to other systems, in the order they began, at most `most` of each. */
export const findCallingSteps = (
  database: Database,
  tenantId: string,
  runIds: readonly number[],
  most: number,
): Promise<StepRow[]> =>
  database.tenantQuery<StepRow & object>(tenantId, {
    name: 'calling-steps-of-runs',
    text: `SELECT ${listedStepColumns}, s.calls FROM unnest($2::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT * FROM steps WHERE tenant_id = $1 AND run_id = wanted.id AND calls IS NOT NULL ORDER BY started_at LIMIT ${most}
      ) AS s ORDER BY s.started_at`,
    values: [tenantId, runIds],
    types: isoInstants,
  });
