-- Filters, orders and columns of lists that users have named.
CREATE TABLE "saved_views" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "user_id" BIGINT NOT NULL,
    "list" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "filter" JSONB NOT NULL DEFAULT '{}',
    "order_by" JSONB NOT NULL DEFAULT '{}',
    "columns" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "shared" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_views_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE UNIQUE INDEX "saved_views_tenant_id_user_id_list_name_key" ON "saved_views" ("tenant_id", "user_id", "list", "name");
-- Those that are shared, in the order of the list.
CREATE INDEX "saved_views_shared_idx" ON "saved_views" ("tenant_id", "id") WHERE "shared";

ALTER TABLE "saved_views" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "saved_views" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "saved_views" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "saved_views" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "saved_views" TO causeway_app;
GRANT USAGE ON SEQUENCE "saved_views_id_seq" TO causeway_app;
