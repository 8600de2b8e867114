-- Failures that are alike. Counted when they are read, so that failures do not wait for each other at one row.
CREATE TABLE "error_groups" (
    "tenant_id" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "node" TEXT,
    "code" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'open',
    "muted_until" TIMESTAMPTZ(3),
    "first_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "reopened_at" TIMESTAMPTZ(3),

    CONSTRAINT "error_groups_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "error_groups_kind_check" CHECK ("kind" IN ('run', 'dead_letter', 'webhook_delivery')),
    CONSTRAINT "error_groups_status_check" CHECK ("status" IN ('open', 'muted', 'resolved'))
);
CREATE INDEX "error_groups_tenant_id_last_at_id_idx" ON "error_groups" ("tenant_id", "last_at", "id");
-- What is deleted after its time.
CREATE INDEX "error_groups_last_at_idx" ON "error_groups" ("last_at");

ALTER TABLE "error_groups" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "error_groups" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "error_groups" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "error_groups" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON "error_groups" TO causeway_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON "error_groups" TO causeway_system;

ALTER TABLE "runs" ADD COLUMN "error_group_id" UUID;
ALTER TABLE "dead_letters" ADD COLUMN "error_group_id" UUID;
ALTER TABLE "webhook_deliveries" ADD COLUMN "error_group_id" UUID;
