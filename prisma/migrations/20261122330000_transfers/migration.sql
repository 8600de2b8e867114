-- Servers that files are fetched from and put to, and the schedules of it.
CREATE TABLE "sftp_accounts" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "port" INTEGER NOT NULL,
    "username" TEXT NOT NULL,
    "login_by" TEXT NOT NULL,
    "host_key" TEXT NOT NULL,
    "sealed" BYTEA,
    "key_version" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sftp_accounts_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "sftp_accounts_login_by_check" CHECK ("login_by" IN ('password', 'private_key'))
);
CREATE UNIQUE INDEX "sftp_accounts_tenant_id_name_key" ON "sftp_accounts" ("tenant_id", "name");

CREATE TABLE "http_sources" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "header_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "sealed" BYTEA,
    "key_version" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "http_sources_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE UNIQUE INDEX "http_sources_tenant_id_name_key" ON "http_sources" ("tenant_id", "name");

CREATE TABLE "transfers" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "direction" TEXT NOT NULL,
    "account_id" BIGINT,
    "source_id" BIGINT,
    "profile" TEXT,
    "target" TEXT,
    "format" TEXT,
    "filter" JSONB NOT NULL DEFAULT '{}',
    "path" TEXT NOT NULL DEFAULT '.',
    "pattern" TEXT,
    "filename" TEXT,
    "afterwards" TEXT NOT NULL DEFAULT 'move',
    "moved_to" TEXT NOT NULL DEFAULT 'processed',
    "max_files" INTEGER NOT NULL DEFAULT 100,
    "cron" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "next_at" TIMESTAMPTZ(3),
    "requested_at" TIMESTAMPTZ(3),
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "retry_at" TIMESTAMPTZ(3),
    "announced_at" TIMESTAMPTZ(3),
    "lease" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "last_run_at" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "transfers_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "transfers_direction_check" CHECK ("direction" IN ('import', 'export')),
    CONSTRAINT "transfers_format_check" CHECK ("format" IN ('csv', 'json', 'ndjson', 'xml', 'xlsx')),
    CONSTRAINT "transfers_afterwards_check" CHECK ("afterwards" IN ('move', 'delete', 'leave')),
    CONSTRAINT "transfers_place_check" CHECK (num_nonnulls("account_id", "source_id") = 1)
);
CREATE INDEX "transfers_tenant_id_account_id_idx" ON "transfers" ("tenant_id", "account_id");
CREATE INDEX "transfers_tenant_id_source_id_idx" ON "transfers" ("tenant_id", "source_id");
-- What workers look for.
CREATE INDEX "transfers_next_at_idx" ON "transfers" ("next_at") WHERE "active";
CREATE INDEX "transfers_requested_idx" ON "transfers" ("tenant_id", "id") WHERE "requested_at" IS NOT NULL;
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_tenant_id_account_id_fkey" FOREIGN KEY ("tenant_id", "account_id") REFERENCES "sftp_accounts"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_tenant_id_source_id_fkey" FOREIGN KEY ("tenant_id", "source_id") REFERENCES "http_sources"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- No foreign key to the job: a file stays known when its job is deleted.
CREATE TABLE "transfer_files" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "transfer_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "bulk_job_id" BIGINT NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "transfer_files_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE INDEX "transfer_files_tenant_id_transfer_id_name_version_idx" ON "transfer_files" ("tenant_id", "transfer_id", "name", "version");
CREATE INDEX "transfer_files_unsettled_idx" ON "transfer_files" ("tenant_id", "transfer_id") WHERE "settled_at" IS NULL;
ALTER TABLE "transfer_files" ADD CONSTRAINT "transfer_files_tenant_id_transfer_id_fkey" FOREIGN KEY ("tenant_id", "transfer_id") REFERENCES "transfers"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['sftp_accounts', 'http_sources', 'transfers', 'transfer_files'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY system ON %I TO causeway_system USING (true) WITH CHECK (true)', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON "sftp_accounts", "http_sources", "transfers", "transfer_files" TO causeway_app;
GRANT USAGE ON SEQUENCE "sftp_accounts_id_seq", "http_sources_id_seq", "transfers_id_seq", "transfer_files_id_seq" TO causeway_app;
-- What is due, and what waits for a worker, is looked for over all tenants.
GRANT SELECT, UPDATE ("requested_at", "next_at", "attempt", "retry_at", "announced_at") ON "transfers" TO causeway_system;
GRANT SELECT, DELETE ON "transfer_files" TO causeway_system;
