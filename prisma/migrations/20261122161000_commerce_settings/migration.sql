-- How a tenant prices and taxes orders, and who answers for credit. A tenant without a row has the defaults.
CREATE TYPE "credit_fallback" AS ENUM ('allow', 'hold', 'refuse');
CREATE TYPE "price_strategy" AS ENUM ('priority', 'cheapest');
CREATE TYPE "tax_rounding" AS ENUM ('line', 'total');

CREATE TABLE "commerce_settings" (
    "tenant_id" TEXT NOT NULL,
    "credit_workflow_id" BIGINT,
    "credit_timeout_ms" INTEGER NOT NULL DEFAULT 5000,
    "credit_fallback" "credit_fallback" NOT NULL DEFAULT 'hold',
    "price_strategy" "price_strategy" NOT NULL DEFAULT 'priority',
    "tax_rounding" "tax_rounding" NOT NULL DEFAULT 'line',
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "commerce_settings_pkey" PRIMARY KEY ("tenant_id")
);

ALTER TABLE "commerce_settings" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "commerce_settings" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "commerce_settings" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "commerce_settings" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON "commerce_settings" TO causeway_app;
