-- Where other systems post their calls.
CREATE TYPE "inbound_verifier" AS ENUM ('platform_v0', 'standard_webhooks', 'hmac', 'basic', 'api_key');
CREATE TYPE "endpoint_status" AS ENUM ('enabled', 'disabled');
CREATE TYPE "inbound_refusal_reason" AS ENUM ('disabled', 'too_large', 'signature_missing', 'signature_wrong', 'timestamp_missing', 'timestamp_off', 'credentials_missing', 'credentials_wrong', 'event_id_too_long', 'not_storable', 'no_trigger');

CREATE TABLE "inbound_endpoints" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "verifier" "inbound_verifier" NOT NULL,
    "config" JSONB NOT NULL,
    "secrets" BYTEA NOT NULL,
    "key_version" INTEGER NOT NULL,
    "previous_secret_expires_at" TIMESTAMPTZ(3),
    "trigger_handle" UUID,
    "topic" TEXT,
    "status" "endpoint_status" NOT NULL DEFAULT 'enabled',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbound_endpoints_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "inbound_endpoints_bound_check" CHECK (("trigger_handle" IS NULL) <> ("topic" IS NULL))
);

CREATE UNIQUE INDEX "inbound_endpoints_endpoint_id_key" ON "inbound_endpoints" ("endpoint_id");
CREATE INDEX "inbound_endpoints_tenant_id_created_at_id_idx" ON "inbound_endpoints" ("tenant_id", "created_at", "id");

-- The key is what makes an event take effect once.
CREATE TABLE "inbound_calls" (
    "tenant_id" TEXT NOT NULL,
    "endpoint_id" BIGINT NOT NULL,
    "event_id" TEXT NOT NULL,
    "run_id" BIGINT,
    "dead_letter_id" BIGINT,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbound_calls_pkey" PRIMARY KEY ("tenant_id", "endpoint_id", "event_id")
);

CREATE INDEX "inbound_calls_tenant_id_endpoint_id_received_at_event_id_idx" ON "inbound_calls" ("tenant_id", "endpoint_id", "received_at", "event_id");
CREATE INDEX "inbound_calls_received_at_idx" ON "inbound_calls" ("received_at");

-- One row an hour, endpoint and reason, however many calls are refused.
CREATE TABLE "inbound_refusals" (
    "tenant_id" TEXT NOT NULL,
    "endpoint_id" BIGINT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "reason" "inbound_refusal_reason" NOT NULL,
    "count" BIGINT NOT NULL,
    "sample" JSONB NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbound_refusals_pkey" PRIMARY KEY ("tenant_id", "endpoint_id", "hour", "reason")
);

CREATE INDEX "inbound_refusals_hour_idx" ON "inbound_refusals" ("hour");

ALTER TABLE "inbound_endpoints" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "inbound_endpoints" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "inbound_endpoints" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "inbound_endpoints" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "inbound_endpoints" TO causeway_app;
GRANT USAGE ON SEQUENCE "inbound_endpoints_id_seq" TO causeway_app;
-- The tenant of a call is known by its endpoint alone; the endpoints of many calls are read in one statement.
GRANT SELECT ON "inbound_endpoints" TO causeway_system;

ALTER TABLE "inbound_calls" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "inbound_calls" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "inbound_calls" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "inbound_calls" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "inbound_calls" TO causeway_app;
-- The sweep of what is older than thirty days.
GRANT SELECT, DELETE ON "inbound_calls" TO causeway_system;

ALTER TABLE "inbound_refusals" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "inbound_refusals" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "inbound_refusals" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "inbound_refusals" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "inbound_refusals" TO causeway_app;
GRANT SELECT, DELETE ON "inbound_refusals" TO causeway_system;
