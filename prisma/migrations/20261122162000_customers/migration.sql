-- Who buys in a shop: companies, their people and their cost centres.
CREATE TABLE "organizations" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "customer_number" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "addresses" JSONB NOT NULL DEFAULT '[]',
    "payment_terms" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE UNIQUE INDEX "organizations_tenant_id_customer_number_key" ON "organizations" ("tenant_id", "customer_number");
-- What lists are sorted by, and polls read on from.
CREATE INDEX "organizations_tenant_id_updated_at_id_idx" ON "organizations" ("tenant_id", "updated_at", "id");
CREATE INDEX "organizations_tenant_id_created_at_id_idx" ON "organizations" ("tenant_id", "created_at", "id");
ALTER TABLE "organizations" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "organizations" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "organizations" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "organizations" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "organizations" TO causeway_app;
GRANT USAGE ON SEQUENCE "organizations_id_seq" TO causeway_app;

CREATE TABLE "contacts" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "organization_id" BIGINT NOT NULL,
    "email" TEXT NOT NULL,
    "first_name" TEXT,
    "last_name" TEXT,
    "role" TEXT,
    "approval_limit" DECIMAL(22,4),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contacts_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "contacts_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations" ("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "contacts_tenant_id_organization_id_email_key" ON "contacts" ("tenant_id", "organization_id", "email");
CREATE INDEX "contacts_tenant_id_updated_at_id_idx" ON "contacts" ("tenant_id", "updated_at", "id");
CREATE INDEX "contacts_tenant_id_created_at_id_idx" ON "contacts" ("tenant_id", "created_at", "id");
ALTER TABLE "contacts" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "contacts" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "contacts" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "contacts" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "contacts" TO causeway_app;
GRANT USAGE ON SEQUENCE "contacts_id_seq" TO causeway_app;

CREATE TABLE "cost_centres" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "organization_id" BIGINT NOT NULL,
    "code" TEXT NOT NULL,
    "name" TEXT,
    "budget" DECIMAL(22,4),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "cost_centres_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "cost_centres_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations" ("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "cost_centres_tenant_id_organization_id_code_key" ON "cost_centres" ("tenant_id", "organization_id", "code");
CREATE INDEX "cost_centres_tenant_id_created_at_id_idx" ON "cost_centres" ("tenant_id", "created_at", "id");
ALTER TABLE "cost_centres" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "cost_centres" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "cost_centres" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "cost_centres" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "cost_centres" TO causeway_app;
GRANT USAGE ON SEQUENCE "cost_centres_id_seq" TO causeway_app;

CREATE TABLE "organization_metrics" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "organization_id" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "organization_metrics_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "organization_metrics_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations" ("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "organization_metrics_tenant_id_organization_id_currency_key" ON "organization_metrics" ("tenant_id", "organization_id", "currency");
CREATE INDEX "organization_metrics_tenant_id_created_at_id_idx" ON "organization_metrics" ("tenant_id", "created_at", "id");
ALTER TABLE "organization_metrics" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "organization_metrics" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "organization_metrics" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "organization_metrics" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "organization_metrics" TO causeway_app;
GRANT USAGE ON SEQUENCE "organization_metrics_id_seq" TO causeway_app;

-- Sums of orders by day. Nothing deletes an organization, so that each order is spared the check of a foreign key.
CREATE TABLE "organization_days" (
    "tenant_id" TEXT NOT NULL,
    "organization_id" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "slot" SMALLINT NOT NULL,
    "net" DECIMAL NOT NULL,
    "orders" INTEGER NOT NULL,

    CONSTRAINT "organization_days_pkey" PRIMARY KEY ("tenant_id", "organization_id", "currency", "day", "slot")
);
ALTER TABLE "organization_days" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "organization_days" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "organization_days" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "organization_days" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "organization_days" TO causeway_app;
