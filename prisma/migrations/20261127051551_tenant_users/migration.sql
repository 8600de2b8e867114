-- The roles of each user in each tenant, as the newest token says that entered it.
CREATE TABLE "tenant_users" (
    "tenant_id" TEXT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "roles" TEXT[],
    "token_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_users_pkey" PRIMARY KEY ("tenant_id", "user_id")
);
ALTER TABLE "tenant_users" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "tenant_users" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "tenant_users" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "tenant_users" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON "tenant_users" TO causeway_app;

ALTER TABLE "error_groups" ADD COLUMN "assignee_id" BIGINT;
-- The roles decide now whether an action goes on, not the token that started it. Older processes still write the column.
ALTER TABLE "bulk_actions" ALTER COLUMN "authorized_until" DROP NOT NULL;
