-- What a shop sells.
CREATE TABLE "products" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "sku" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "tax_rate" DECIMAL(7,4) NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "products_pkey" PRIMARY KEY ("tenant_id", "id")
);

CREATE UNIQUE INDEX "products_tenant_id_sku_key" ON "products" ("tenant_id", "sku");
-- What lists are sorted by, and polls read on from.
CREATE INDEX "products_tenant_id_updated_at_id_idx" ON "products" ("tenant_id", "updated_at", "id");
CREATE INDEX "products_tenant_id_created_at_id_idx" ON "products" ("tenant_id", "created_at", "id");

ALTER TABLE "products" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "products" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "products" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "products" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "products" TO causeway_app;
GRANT USAGE ON SEQUENCE "products_id_seq" TO causeway_app;
