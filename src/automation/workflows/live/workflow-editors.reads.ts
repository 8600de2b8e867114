import type { Database } from '#src/infra/postgres/database.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';

export interface WorkflowEditorRow {
  name: string;
  /** ISO 8601. */
  openedAt: string;
}

/** Who has an editor of the workflow open, each once, in the order they opened it. */
export const findEditors = (database: Database, tenantId: string, workflowId: number): Promise<WorkflowEditorRow[]> =>
  database.tenantQuery<WorkflowEditorRow & Record<string, unknown>>(tenantId, {
    name: 'find-editors',
    text: `SELECT name, min(opened_at) AS "openedAt" FROM workflow_editors
      WHERE tenant_id = $1 AND workflow_id = $2 GROUP BY name ORDER BY min(opened_at), name LIMIT 100`,
    values: [tenantId, workflowId],
    types: isoInstants,
  });
