-- Whom prices are for, and when.
CREATE TABLE "price_lists" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "customer" TEXT,
    "channel" TEXT,
    "market" TEXT,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "valid_from" TIMESTAMPTZ(3),
    "valid_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "price_lists_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "price_lists_window" CHECK (valid_from < valid_until)
);

CREATE UNIQUE INDEX "price_lists_tenant_id_code_key" ON "price_lists" ("tenant_id", "code");

-- Amounts have no scale, so that they keep the digits they were given: 10.00 stays 10.00.
CREATE TABLE "prices" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "list_id" BIGINT NOT NULL,
    "sku" TEXT NOT NULL,
    "quantity_from" DECIMAL NOT NULL,
    "amount" DECIMAL NOT NULL,
    "valid_from" TIMESTAMPTZ(3),
    "valid_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "prices_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "prices_window" CHECK (valid_from < valid_until),
    CONSTRAINT "prices_tenant_id_list_id_fkey" FOREIGN KEY ("tenant_id", "list_id")
        REFERENCES "price_lists" ("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- A price is resolved from this index: all prices of an SKU lie beside each other, whatever list they are of.
CREATE UNIQUE INDEX "prices_tenant_id_sku_list_id_quantity_from_valid_from_key"
    ON "prices" ("tenant_id", "sku", "list_id", "quantity_from", "valid_from")
    NULLS NOT DISTINCT;
-- The prices of one list, in order.
CREATE INDEX "prices_tenant_id_list_id_sku_id_idx" ON "prices" ("tenant_id", "list_id", "sku", "id");

ALTER TABLE "price_lists" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "price_lists" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "price_lists" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "price_lists" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "price_lists" TO causeway_app;
GRANT USAGE ON SEQUENCE "price_lists_id_seq" TO causeway_app;

ALTER TABLE "prices" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "prices" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "prices" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "prices" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "prices" TO causeway_app;
GRANT USAGE ON SEQUENCE "prices_id_seq" TO causeway_app;
