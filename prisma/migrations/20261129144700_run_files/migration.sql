-- Files that steps of runs wrote or received. A file has one row for the run that made it and one for each other run that has read it.
CREATE TABLE "run_files" (
    "tenant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    -- 0 while the file belongs to no run yet.
    "run_id" BIGINT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_files_pkey" PRIMARY KEY ("tenant_id", "id", "run_id")
);
CREATE INDEX "run_files_tenant_id_run_id_idx" ON "run_files" ("tenant_id", "run_id");
CREATE INDEX "run_files_storage_key_idx" ON "run_files" ("storage_key");

ALTER TABLE "run_files" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "run_files" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "run_files" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "run_files" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "run_files" TO causeway_app;
GRANT SELECT, DELETE ON "run_files" TO causeway_system;
