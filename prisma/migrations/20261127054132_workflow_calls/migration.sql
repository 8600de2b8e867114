-- Which workflows the current blobs of workflows name, by sub-workflow nodes and as their error workflow.
CREATE TABLE "workflow_calls" (
    "tenant_id" TEXT NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "node_id" TEXT NOT NULL,
    "called_id" BIGINT NOT NULL,

    CONSTRAINT "workflow_calls_pkey" PRIMARY KEY ("tenant_id", "workflow_id", "node_id")
);
CREATE INDEX "workflow_calls_tenant_id_called_id_workflow_id_node_id_idx" ON "workflow_calls" ("tenant_id", "called_id", "workflow_id", "node_id");
ALTER TABLE "workflow_calls" ADD CONSTRAINT "workflow_calls_tenant_id_workflow_id_fkey" FOREIGN KEY ("tenant_id", "workflow_id") REFERENCES "workflows"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "workflow_calls" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "workflow_calls" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "workflow_calls" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "workflow_calls" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "workflow_calls" TO causeway_app;
GRANT INSERT ON "workflow_calls" TO causeway_system;

-- The workflows that there are. Read as the role that sees all tenants' rows.
SET LOCAL ROLE causeway_system;
INSERT INTO "workflow_calls" ("tenant_id", "workflow_id", "node_id", "called_id")
WITH RECURSIVE nodes AS (
  SELECT w.tenant_id, w.id AS workflow_id, n.node ->> 'id' AS node_id, n.node FROM workflows w
    CROSS JOIN LATERAL jsonb_path_query(w.blob, '$.nodes[*]') AS n(node) WHERE w.deleted_at IS NULL
  UNION ALL
  SELECT loops.tenant_id, loops.workflow_id, loops.node_id || '/' || (n.node ->> 'id'), n.node FROM nodes loops
    CROSS JOIN LATERAL jsonb_path_query(loops.node, '$ ? (@.node == "core:for-each").config.body.nodes[*]') AS n(node)
)
SELECT tenant_id, workflow_id, node_id, called::numeric::bigint FROM (
  SELECT tenant_id, workflow_id, node_id, jsonb_path_query(node, '$ ? (@.node == "core:sub-workflow").config.workflow_id') AS called
  FROM nodes
  UNION ALL
  SELECT tenant_id, id, '', jsonb_path_query(blob, '$.settings.error_workflow_id') FROM workflows WHERE deleted_at IS NULL
) AS named
WHERE jsonb_typeof(called) = 'number' AND called::text ~ '^[1-9][0-9]{0,15}$' AND node_id IS NOT NULL
ON CONFLICT DO NOTHING;
RESET ROLE;
REVOKE INSERT ON "workflow_calls" FROM causeway_system;
