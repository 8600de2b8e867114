-- Operators retry failed jobs of all tenants in one action. It is of no tenant: '' is a tenant that no transaction can be in, so that
-- row-level security hides it from all tenants, and only the system role sees it.
ALTER TABLE "bulk_actions" DROP CONSTRAINT "bulk_actions_kind_check";
ALTER TABLE "bulk_actions" ADD CONSTRAINT "bulk_actions_kind_check" CHECK ("kind" IN ('retry_runs', 'rerun_runs', 'resume_runs', 'cancel_runs', 'replay_dead_letters', 'discard_dead_letters', 'resend_webhook_deliveries', 'retry_failed_jobs')) NOT VALID;
ALTER TABLE "bulk_actions" ADD CONSTRAINT "bulk_actions_owner_check" CHECK (("tenant_id" = '') = ("kind" = 'retry_failed_jobs')) NOT VALID;

-- Items with UUIDs. Batches and refusals have their numbers within the action.
CREATE TABLE "bulk_action_keys" (
    "tenant_id" TEXT NOT NULL,
    "action_id" BIGINT NOT NULL,
    "item" BIGINT NOT NULL,
    "key" UUID NOT NULL,

    CONSTRAINT "bulk_action_keys_pkey" PRIMARY KEY ("tenant_id", "action_id", "item"),
    CONSTRAINT "bulk_action_keys_tenant_id_action_id_fkey" FOREIGN KEY ("tenant_id", "action_id") REFERENCES "bulk_actions" ("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
ALTER TABLE "bulk_action_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "bulk_action_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "bulk_action_keys" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "bulk_action_keys" TO causeway_system USING (true) WITH CHECK (true);
-- Lists of refusals read it in every scope; only operators' actions have rows.
GRANT SELECT ON "bulk_action_keys" TO causeway_app;
GRANT SELECT, INSERT ON "bulk_action_keys" TO causeway_system;

GRANT INSERT, UPDATE ON "bulk_actions" TO causeway_system;
GRANT SELECT, INSERT, DELETE ON "bulk_action_batches" TO causeway_system;
GRANT SELECT, INSERT ON "bulk_action_refusals" TO causeway_system;
GRANT USAGE ON SEQUENCE "bulk_actions_id_seq" TO causeway_system;
GRANT SELECT ON "tenant_users" TO causeway_system;
