import type { Tx } from '#src/infra/postgres/tx.ts';

/** An editor that somebody has open. */
export interface EditorSession {
  workflowId: number;
  /** A random UUID for each subscription. */
  session: string;
  /** The email address of the user, without one the subject. */
  name: string;
}

/** An editor without a heartbeat for this long counts as closed; heartbeats come every 15 seconds. */
const silentSeconds = 30;

/**
 * Stores the heartbeats of the tenant's editors that are open in this process, and removes those of processes that have died. Returns the
 * workflows whose editors changed.
 */
export async function beatEditors(tx: Tx, tenantId: string, open: readonly EditorSession[]): Promise<number[]> {
  const { rows } = await tx.query<{ workflow_id: number }>({
    name: 'beat-editors',
    text: `WITH beat AS (
        INSERT INTO workflow_editors (tenant_id, workflow_id, session, name)
        SELECT $1, given.workflow_id, given.session, given.name
        FROM unnest($2::bigint[], $3::uuid[], $4::text[]) AS given(workflow_id, session, name)
        JOIN workflows w ON w.tenant_id = $1 AND w.id = given.workflow_id AND w.deleted_at IS NULL
        ON CONFLICT (tenant_id, workflow_id, session) DO UPDATE SET seen_at = clock_timestamp()
        RETURNING workflow_id, xmax = 0 AS is_new
      ), silent AS (
        DELETE FROM workflow_editors WHERE tenant_id = $1 AND (workflow_id, session) IN (
          SELECT workflow_id, session FROM workflow_editors
          WHERE tenant_id = $1 AND seen_at < clock_timestamp() - interval '${silentSeconds} seconds' AND session <> ALL($3::uuid[])
          LIMIT 1000 FOR UPDATE SKIP LOCKED
        ) RETURNING workflow_id
      )
      SELECT workflow_id FROM beat WHERE is_new UNION SELECT workflow_id FROM silent`,
    values: [
      tenantId,
      open.map(({ workflowId }) => workflowId),
      open.map(({ session }) => session),
      open.map(({ name }) => name),
    ],
  });
  return rows.map(({ workflow_id }) => workflow_id);
}

export async function removeEditor(tx: Tx, tenantId: string, { workflowId, session }: EditorSession): Promise<void> {
  await tx.query('DELETE FROM workflow_editors WHERE tenant_id = $1 AND workflow_id = $2 AND session = $3', [
    tenantId,
    workflowId,
    session,
  ]);
}
