-- The ledger. Nobody may change or delete a movement: a correction is another movement.
CREATE TABLE "stock_movements" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "sku" TEXT NOT NULL,
    "location" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "quantity" DECIMAL NOT NULL,
    "delta" DECIMAL NOT NULL,
    "reserved_delta" DECIMAL NOT NULL,
    "reference" TEXT NOT NULL,
    "note" TEXT,
    "reservation" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stock_movements_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "stock_movements_kind_check" CHECK ("kind" IN ('receipt', 'issue', 'return', 'adjustment', 'count', 'transfer_in', 'transfer_out', 'reserve', 'release'))
);
CREATE UNIQUE INDEX "stock_movements_tenant_id_reference_key" ON "stock_movements" ("tenant_id", "reference");
CREATE INDEX "stock_movements_tenant_id_sku_created_at_id_idx" ON "stock_movements" ("tenant_id", "sku", "created_at", "id");
CREATE INDEX "stock_movements_tenant_id_created_at_id_idx" ON "stock_movements" ("tenant_id", "created_at", "id");

-- What the sums of the ledger are: kept under row locks. None of its updates changes an index.
CREATE TABLE "stock_balances" (
    "tenant_id" TEXT NOT NULL,
    "sku" TEXT NOT NULL,
    "location" TEXT NOT NULL,
    "on_hand" DECIMAL NOT NULL DEFAULT 0,
    "reserved" DECIMAL NOT NULL DEFAULT 0,
    "reorder_point" DECIMAL,

    CONSTRAINT "stock_balances_pkey" PRIMARY KEY ("tenant_id", "sku", "location"),
    CONSTRAINT "stock_balances_bounds" CHECK ("on_hand" >= 0 AND "reserved" >= 0)
);
ALTER TABLE "stock_balances" SET (fillfactor = 70);

CREATE TABLE "stock_reservations" (
    "tenant_id" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "sku" TEXT NOT NULL,
    "location" TEXT NOT NULL,
    "remaining" DECIMAL NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "stock_reservations_pkey" PRIMARY KEY ("tenant_id", "reference"),
    CONSTRAINT "stock_reservations_bounds" CHECK ("remaining" > 0)
);
CREATE INDEX "stock_reservations_tenant_id_sku_location_idx" ON "stock_reservations" ("tenant_id", "sku", "location");
CREATE INDEX "stock_reservations_expiry_idx" ON "stock_reservations" ("expires_at") WHERE "expires_at" IS NOT NULL;

ALTER TABLE "stock_movements" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "stock_movements" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "stock_movements" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "stock_movements" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON "stock_movements" TO causeway_app;
GRANT USAGE ON SEQUENCE "stock_movements_id_seq" TO causeway_app;

ALTER TABLE "stock_balances" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "stock_balances" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "stock_balances" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "stock_balances" TO causeway_system USING (true) WITH CHECK (true);
-- Deleted is only a row that was made for a movement which was then refused.
GRANT SELECT, INSERT, UPDATE, DELETE ON "stock_balances" TO causeway_app;

ALTER TABLE "stock_reservations" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "stock_reservations" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "stock_reservations" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "stock_reservations" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "stock_reservations" TO causeway_app;

-- Expired reservations and differences between ledger and balances are looked for over all tenants.
GRANT SELECT ON "stock_movements", "stock_balances", "stock_reservations" TO causeway_system;
