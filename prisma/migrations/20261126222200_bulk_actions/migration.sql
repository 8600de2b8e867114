CREATE TABLE "bulk_actions" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "total" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "position" INTEGER NOT NULL DEFAULT 0,
    "given" JSONB,
    "error" TEXT,
    "cancel_requested" BOOLEAN NOT NULL DEFAULT false,
    "org_id" TEXT NOT NULL,
    "actor_user_id" BIGINT NOT NULL,
    "actor_sub" TEXT NOT NULL,
    "actor_email" TEXT,
    "channel" TEXT NOT NULL,
    "authorized_until" TIMESTAMPTZ(3) NOT NULL,
    "lease" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "announced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "bulk_actions_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "bulk_actions_kind_check" CHECK ("kind" IN ('retry_runs', 'rerun_runs', 'resume_runs', 'cancel_runs', 'replay_dead_letters', 'discard_dead_letters', 'resend_webhook_deliveries')),
    CONSTRAINT "bulk_actions_status_check" CHECK ("status" IN ('queued', 'running', 'completed', 'cancelled', 'stopped')),
    CONSTRAINT "bulk_actions_counts" CHECK ("done" + "refused" <= "total" AND "total" <= 100000)
);
-- The few that have not ended: looked for over all tenants every second, and counted when one more is started.
CREATE INDEX "bulk_actions_unfinished_idx" ON "bulk_actions" ("tenant_id", "id") WHERE "status" IN ('queued', 'running');
-- What is deleted after its time.
CREATE INDEX "bulk_actions_finished_at_idx" ON "bulk_actions" ("finished_at") WHERE "finished_at" IS NOT NULL;

CREATE TABLE "bulk_action_batches" (
    "tenant_id" TEXT NOT NULL,
    "action_id" BIGINT NOT NULL,
    "n" INTEGER NOT NULL,
    "items" BIGINT[],

    CONSTRAINT "bulk_action_batches_pkey" PRIMARY KEY ("tenant_id", "action_id", "n"),
    CONSTRAINT "bulk_action_batches_tenant_id_action_id_fkey" FOREIGN KEY ("tenant_id", "action_id") REFERENCES "bulk_actions" ("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "bulk_action_refusals" (
    "tenant_id" TEXT NOT NULL,
    "action_id" BIGINT NOT NULL,
    "item" BIGINT NOT NULL,
    "code" TEXT NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "bulk_action_refusals_pkey" PRIMARY KEY ("tenant_id", "action_id", "item"),
    CONSTRAINT "bulk_action_refusals_tenant_id_action_id_fkey" FOREIGN KEY ("tenant_id", "action_id") REFERENCES "bulk_actions" ("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['bulk_actions', 'bulk_action_batches', 'bulk_action_refusals'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY system ON %I TO causeway_system USING (true) WITH CHECK (true)', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE ON "bulk_actions" TO causeway_app;
GRANT SELECT, INSERT, DELETE ON "bulk_action_batches" TO causeway_app;
GRANT SELECT, INSERT ON "bulk_action_refusals" TO causeway_app;
GRANT USAGE ON SEQUENCE "bulk_actions_id_seq" TO causeway_app;
-- Actions without a worker, and old ones, are looked for over all tenants.
GRANT SELECT, UPDATE ("announced_at"), DELETE ON "bulk_actions" TO causeway_system;
