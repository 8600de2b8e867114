-- Triggers that ask a list for its new records, and remember where they are in it.
ALTER TYPE "trigger_type" ADD VALUE 'poll';
ALTER TABLE "runs" DROP CONSTRAINT "runs_trigger_type_check";
ALTER TABLE "runs" ADD CONSTRAINT "runs_trigger_type_check"
  CHECK ("trigger_type" IN ('manual', 'schedule', 'webhook', 'event', 'poll')) NOT VALID;

CREATE TABLE "polls" (
    "tenant_id" TEXT NOT NULL,
    "trigger_id" BIGINT NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "next_at" TIMESTAMPTZ(3),
    "requested_at" TIMESTAMPTZ(3),
    "retry_at" TIMESTAMPTZ(3),
    "announced_at" TIMESTAMPTZ(3),
    "lease" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "watermark" TEXT,
    "sweep" JSONB,
    "waits" BOOLEAN NOT NULL DEFAULT false,
    "last_polled_at" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "pages_read" BIGINT NOT NULL DEFAULT 0,
    "records_seen" BIGINT NOT NULL DEFAULT 0,
    "records_fired" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "polls_pkey" PRIMARY KEY ("tenant_id", "trigger_id")
);
-- What workers look for.
CREATE INDEX "polls_next_at_idx" ON "polls" ("next_at") WHERE "active";
CREATE INDEX "polls_requested_idx" ON "polls" ("tenant_id", "trigger_id") WHERE "requested_at" IS NOT NULL;
ALTER TABLE "polls" ADD CONSTRAINT "polls_tenant_id_trigger_id_fkey" FOREIGN KEY ("tenant_id", "trigger_id") REFERENCES "triggers"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "poll_keys" (
    "tenant_id" TEXT NOT NULL,
    "trigger_id" BIGINT NOT NULL,
    "key" BYTEA NOT NULL,
    "at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "poll_keys_pkey" PRIMARY KEY ("tenant_id", "trigger_id", "key")
);
CREATE INDEX "poll_keys_tenant_id_trigger_id_seen_at_idx" ON "poll_keys" ("tenant_id", "trigger_id", "seen_at");
ALTER TABLE "poll_keys" ADD CONSTRAINT "poll_keys_tenant_id_trigger_id_fkey" FOREIGN KEY ("tenant_id", "trigger_id") REFERENCES "polls"("tenant_id", "trigger_id") ON DELETE CASCADE ON UPDATE CASCADE;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['polls', 'poll_keys'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY system ON %I TO causeway_system USING (true) WITH CHECK (true)', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON "polls" TO causeway_app;
GRANT SELECT, INSERT, DELETE ON "poll_keys" TO causeway_app;
-- Workers move the polls of all tenants.
GRANT SELECT, UPDATE ON "polls" TO causeway_system;
GRANT SELECT, INSERT, DELETE ON "poll_keys" TO causeway_system;
