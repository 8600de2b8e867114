-- Who has an editor of a workflow open. Processes renew their rows every 15 seconds, and remove those that were not renewed.
CREATE TABLE "workflow_editors" (
    "tenant_id" TEXT NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "session" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_editors_pkey" PRIMARY KEY ("tenant_id", "workflow_id", "session")
);

ALTER TABLE "workflow_editors" ADD CONSTRAINT "workflow_editors_tenant_id_workflow_id_fkey" FOREIGN KEY ("tenant_id", "workflow_id") REFERENCES "workflows"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "workflow_editors" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "workflow_editors" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "workflow_editors" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "workflow_editors" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "workflow_editors" TO causeway_app;
