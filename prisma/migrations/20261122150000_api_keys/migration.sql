-- Keys by which other systems act in one tenant. Of the secret there is only a hash.
CREATE TABLE "api_keys" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "scopes" TEXT[] NOT NULL,
    "created_by" BIGINT,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("tenant_id", "id")
);

CREATE UNIQUE INDEX "api_keys_tenant_id_prefix_key" ON "api_keys" ("tenant_id", "prefix");
CREATE INDEX "api_keys_tenant_id_name_idx" ON "api_keys" ("tenant_id", "name");

ALTER TABLE "api_keys" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "api_keys" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "api_keys" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "api_keys" TO causeway_system USING (true) WITH CHECK (true);
-- A key is revoked, never deleted: what it did is written in the audit log under its prefix.
GRANT SELECT, INSERT, UPDATE ON "api_keys" TO causeway_app;
GRANT USAGE ON SEQUENCE "api_keys_id_seq" TO causeway_app;
-- Who asks is not known before the key is read: many requests' keys are read in one statement, whatever their tenants.
GRANT SELECT, UPDATE ("last_used_at") ON "api_keys" TO causeway_system;
