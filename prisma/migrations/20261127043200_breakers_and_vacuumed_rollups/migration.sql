-- When an extension was last not called in a tenant because it had been too slow.
CREATE TABLE "extension_breakers" (
    "tenant_id" TEXT NOT NULL,
    "extension_id" BIGINT NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "open_until" TIMESTAMPTZ(3) NOT NULL,
    "openings" INTEGER NOT NULL,

    CONSTRAINT "extension_breakers_pkey" PRIMARY KEY ("tenant_id", "extension_id")
);
ALTER TABLE "extension_breakers" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "extension_breakers" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "extension_breakers" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "extension_breakers" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON "extension_breakers" TO causeway_app;
GRANT SELECT, DELETE ON "extension_breakers" TO causeway_system;

-- A read of statistics from an index visits the table for pages that are not vacuumed since their last change.
ALTER TABLE "run_rollups" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
