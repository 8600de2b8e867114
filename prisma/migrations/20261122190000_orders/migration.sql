-- What was ordered, what happened to it since, and what was sent and paid.
CREATE TABLE "orders" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "number" BIGINT NOT NULL,
    "external_key" TEXT,
    "status" TEXT NOT NULL DEFAULT 'pending' CHECK ("status" IN ('pending', 'acknowledged', 'completed', 'cancelled')),
    "payment_status" TEXT NOT NULL DEFAULT 'unpaid' CHECK ("payment_status" IN ('unpaid', 'authorized', 'partially_paid', 'paid', 'partially_refunded', 'refunded', 'voided')),
    "fulfillment_status" TEXT NOT NULL DEFAULT 'unfulfilled' CHECK ("fulfillment_status" IN ('unfulfilled', 'partially_fulfilled', 'fulfilled', 'partially_returned', 'returned')),
    "hold_reason" TEXT CHECK ("hold_reason" IN ('credit', 'approval')),
    "erp_number" TEXT,
    "customer_order_number" TEXT,
    "organization_id" BIGINT,
    "contact_id" BIGINT,
    "channel" TEXT,
    "currency" TEXT NOT NULL,
    "net" DECIMAL NOT NULL,
    "tax" DECIMAL NOT NULL,
    "gross" DECIMAL NOT NULL,
    "shipping_address" JSONB,
    "billing_address" JSONB,
    "attributes" JSONB NOT NULL DEFAULT '{}',
    "placed_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "orders_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "order_positions" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "order_id" BIGINT NOT NULL,
    "line" INTEGER NOT NULL,
    "sku" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "location" TEXT NOT NULL,
    "quantity" DECIMAL NOT NULL,
    "unit_price" DECIMAL NOT NULL,
    "tax_rate" DECIMAL NOT NULL,
    "line_total" DECIMAL NOT NULL,
    "tax" DECIMAL NOT NULL,
    "cost_centre" TEXT,
    "buyer_article_number" TEXT,
    "text" TEXT,
    "reserved" DECIMAL NOT NULL,
    "shipped" DECIMAL NOT NULL DEFAULT 0,
    "returned" DECIMAL NOT NULL DEFAULT 0,

    CONSTRAINT "order_positions_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "order_changes" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "order_id" BIGINT NOT NULL,
    "action" TEXT NOT NULL,
    "details" JSONB NOT NULL DEFAULT '{}',
    "actor_sub" TEXT,
    "actor_email" TEXT,
    "channel" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "order_changes_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "fulfillments" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "order_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL CHECK ("kind" IN ('shipment', 'return')),
    "reference" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "fulfillments_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "fulfillment_positions" (
    "tenant_id" TEXT NOT NULL,
    "fulfillment_id" BIGINT NOT NULL,
    "position_id" BIGINT NOT NULL,
    "quantity" DECIMAL NOT NULL,

    CONSTRAINT "fulfillment_positions_pkey" PRIMARY KEY ("tenant_id","fulfillment_id","position_id")
);

CREATE TABLE "payments" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "order_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL CHECK ("kind" IN ('authorized', 'captured', 'refunded', 'voided')),
    "amount" DECIMAL NOT NULL,
    "reference" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payments_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "order_numbers" (
    "tenant_id" TEXT NOT NULL,
    "last" BIGINT NOT NULL,

    CONSTRAINT "order_numbers_pkey" PRIMARY KEY ("tenant_id")
);
CREATE INDEX "orders_tenant_id_updated_at_id_idx" ON "orders"("tenant_id", "updated_at", "id");
CREATE INDEX "orders_tenant_id_created_at_id_idx" ON "orders"("tenant_id", "created_at", "id");
CREATE INDEX "orders_tenant_id_placed_at_id_idx" ON "orders"("tenant_id", "placed_at", "id");
CREATE INDEX "orders_tenant_id_status_updated_at_id_idx" ON "orders"("tenant_id", "status", "updated_at", "id");
CREATE INDEX "orders_tenant_id_organization_id_placed_at_idx" ON "orders"("tenant_id", "organization_id", "placed_at");
CREATE UNIQUE INDEX "orders_tenant_id_number_key" ON "orders"("tenant_id", "number");
CREATE UNIQUE INDEX "orders_tenant_id_external_key_key" ON "orders"("tenant_id", "external_key");
CREATE UNIQUE INDEX "order_positions_tenant_id_order_id_line_key" ON "order_positions"("tenant_id", "order_id", "line");
CREATE INDEX "order_changes_tenant_id_order_id_id_idx" ON "order_changes"("tenant_id", "order_id", "id");
CREATE INDEX "fulfillments_tenant_id_order_id_id_idx" ON "fulfillments"("tenant_id", "order_id", "id");
CREATE UNIQUE INDEX "fulfillments_tenant_id_kind_reference_key" ON "fulfillments"("tenant_id", "kind", "reference");
CREATE INDEX "payments_tenant_id_order_id_id_idx" ON "payments"("tenant_id", "order_id", "id");
CREATE UNIQUE INDEX "payments_tenant_id_reference_key" ON "payments"("tenant_id", "reference");

ALTER TABLE "order_positions" ADD CONSTRAINT "order_positions_tenant_id_order_id_fkey" FOREIGN KEY ("tenant_id", "order_id") REFERENCES "orders"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "fulfillments" ADD CONSTRAINT "fulfillments_tenant_id_order_id_fkey" FOREIGN KEY ("tenant_id", "order_id") REFERENCES "orders"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "fulfillment_positions" ADD CONSTRAINT "fulfillment_positions_tenant_id_fulfillment_id_fkey" FOREIGN KEY ("tenant_id", "fulfillment_id") REFERENCES "fulfillments"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "fulfillment_positions" ADD CONSTRAINT "fulfillment_positions_tenant_id_position_id_fkey" FOREIGN KEY ("tenant_id", "position_id") REFERENCES "order_positions"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "payments" ADD CONSTRAINT "payments_tenant_id_order_id_fkey" FOREIGN KEY ("tenant_id", "order_id") REFERENCES "orders"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "orders" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "orders" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "orders" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "orders" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON "orders" TO causeway_app;
ALTER TABLE "order_positions" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "order_positions" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "order_positions" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "order_positions" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON "order_positions" TO causeway_app;
ALTER TABLE "order_changes" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "order_changes" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "order_changes" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "order_changes" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON "order_changes" TO causeway_app;
ALTER TABLE "fulfillments" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "fulfillments" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "fulfillments" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "fulfillments" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON "fulfillments" TO causeway_app;
ALTER TABLE "fulfillment_positions" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "fulfillment_positions" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "fulfillment_positions" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "fulfillment_positions" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON "fulfillment_positions" TO causeway_app;
ALTER TABLE "payments" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "payments" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "payments" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "payments" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON "payments" TO causeway_app;
ALTER TABLE "order_numbers" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "order_numbers" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "order_numbers" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "order_numbers" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON "order_numbers" TO causeway_app;
GRANT USAGE ON SEQUENCE "orders_id_seq" TO causeway_app;
GRANT USAGE ON SEQUENCE "order_positions_id_seq" TO causeway_app;
GRANT USAGE ON SEQUENCE "order_changes_id_seq" TO causeway_app;
GRANT USAGE ON SEQUENCE "fulfillments_id_seq" TO causeway_app;
GRANT USAGE ON SEQUENCE "payments_id_seq" TO causeway_app;
