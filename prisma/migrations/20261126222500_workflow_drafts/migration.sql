-- Unfinished edits of workflows, and the last versions of each, from which a stale save is merged.
CREATE TABLE "workflow_drafts" (
    "tenant_id" TEXT NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "blob" JSONB NOT NULL,
    "base_revision" INTEGER NOT NULL,
    "pins" JSONB NOT NULL DEFAULT '{}',
    "saved_by" BIGINT,
    "saved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_drafts_pkey" PRIMARY KEY ("tenant_id", "workflow_id")
);

CREATE TABLE "workflow_draft_versions" (
    "tenant_id" TEXT NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "blob" JSONB NOT NULL,

    CONSTRAINT "workflow_draft_versions_pkey" PRIMARY KEY ("tenant_id", "workflow_id", "version")
);

ALTER TABLE "workflow_drafts" ADD CONSTRAINT "workflow_drafts_tenant_id_workflow_id_fkey" FOREIGN KEY ("tenant_id", "workflow_id") REFERENCES "workflows"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "workflow_draft_versions" ADD CONSTRAINT "workflow_draft_versions_tenant_id_workflow_id_fkey" FOREIGN KEY ("tenant_id", "workflow_id") REFERENCES "workflows"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['workflow_drafts', 'workflow_draft_versions'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY system ON %I TO causeway_system USING (true) WITH CHECK (true)', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON "workflow_drafts", "workflow_draft_versions" TO causeway_app;
