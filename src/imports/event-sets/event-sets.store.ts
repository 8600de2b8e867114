import type { EventSet } from '#src/imports/targets/target.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import type { EventKind } from '#src/journal/outbox/outbox.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';

/** A set as it is stored. */
export interface StoredSet {
  tenantId: string;
  id: number;
  target: string;
}

/** The oldest set, of any tenant. */
export async function findOldestSet(system: SystemTx): Promise<StoredSet | undefined> {
  const { rows } = await system.query<StoredSet>({
    name: 'find-import-event-set',
    text: 'SELECT tenant_id AS "tenantId", id, target FROM import_event_sets ORDER BY id LIMIT 1',
  });
  return rows[0];
}

/** Puts the events of a set into the outbox. */
export async function publishSet(
  system: SystemTx,
  { tenantId, id }: StoredSet,
  { topic, eventsSql }: EventSet,
): Promise<void> {
  await system.query({
    text: `WITH given AS MATERIALIZED (SELECT data AS given FROM import_event_sets WHERE tenant_id = $1 AND id = $2), event AS (${eventsSql})
      ${insertEventsSql(`(SELECT $1 AS tenant_id, '${topic.name}' AS topic, data, '{}'::jsonb AS metadata, at FROM event) AS event`, 'at')}`,
    values: [tenantId, id],
  });
}

export async function deleteSet(system: SystemTx, { tenantId, id }: StoredSet): Promise<void> {
  await system.query({
    name: 'delete-import-event-set',
    text: 'DELETE FROM import_event_sets WHERE tenant_id = $1 AND id = $2',
    values: [tenantId, id],
  });
}

/** The kind of the events of a set, for `OutboxConsumer.wanted`. */
export const toEventKind = ({ tenantId }: StoredSet, { topic }: EventSet): EventKind => ({
  tenantId,
  topic: topic.name,
});
