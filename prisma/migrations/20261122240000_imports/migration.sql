CREATE TABLE "uploads" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "filename" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size" BIGINT,
    "receiving_since" TIMESTAMPTZ(3),
    "storage_key" TEXT,
    "bytes" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "uploads_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE INDEX "uploads_created_at_idx" ON "uploads" ("created_at");
CREATE INDEX "uploads_storage_key_idx" ON "uploads" ("storage_key");

CREATE TABLE "import_profiles" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "mapping" JSONB NOT NULL DEFAULT '{}',
    "record_path" TEXT,
    "sheet" TEXT,
    "delimiter" TEXT NOT NULL DEFAULT ',',
    "encoding" TEXT NOT NULL DEFAULT 'utf-8',
    "decimal_separator" TEXT NOT NULL DEFAULT '.',
    "quantity_basis" TEXT NOT NULL DEFAULT 'physical',
    "mode" TEXT NOT NULL DEFAULT 'full',
    "absent" TEXT NOT NULL DEFAULT 'keep',
    "as_of" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "import_profiles_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE UNIQUE INDEX "import_profiles_tenant_id_name_key" ON "import_profiles" ("tenant_id", "name");

CREATE TABLE "bulk_jobs" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'import',
    "target" TEXT NOT NULL,
    "profile" JSONB NOT NULL,
    "profile_name" TEXT NOT NULL,
    "upload_id" BIGINT NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "rows_read" INTEGER NOT NULL DEFAULT 0,
    "rows_written" INTEGER NOT NULL DEFAULT 0,
    "rows_unchanged" INTEGER NOT NULL DEFAULT 0,
    "rows_rejected" INTEGER NOT NULL DEFAULT 0,
    "progress" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "error" TEXT,
    "cancel_requested" BOOLEAN NOT NULL DEFAULT false,
    "phase" TEXT NOT NULL DEFAULT 'reading',
    "merged_to" INTEGER NOT NULL DEFAULT 0,
    "absent_to" TEXT,
    "lease" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "announced_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "bulk_jobs_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "bulk_jobs_status_check" CHECK ("status" IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
    CONSTRAINT "bulk_jobs_phase_check" CHECK ("phase" IN ('reading', 'merging', 'absent')),
    CONSTRAINT "bulk_jobs_rows" CHECK ("rows_read" >= "rows_written" + "rows_unchanged" + "rows_rejected")
);
CREATE UNIQUE INDEX "bulk_jobs_tenant_id_upload_id_dry_run_key" ON "bulk_jobs" ("tenant_id", "upload_id", "dry_run");
CREATE INDEX "bulk_jobs_tenant_id_created_at_id_idx" ON "bulk_jobs" ("tenant_id", "created_at", "id");
-- The jobs that workers look for.
CREATE INDEX "bulk_jobs_unfinished_idx" ON "bulk_jobs" ("tenant_id", "target", "id") WHERE "status" IN ('queued', 'running');

-- Rows are copied into the partition, which COPY demands to be without row-level security. A tenant can add rows of its own there,
-- as the tenant is not a column that may be given, and reads them through the table above it, which is secured.
CREATE TABLE "import_rows" (
    "tenant_id" TEXT NOT NULL DEFAULT current_tenant(),
    "job_id" BIGINT NOT NULL,
    "n" INTEGER NOT NULL,
    "line" INTEGER NOT NULL,
    "faulty" BOOLEAN NOT NULL,
    "cells" TEXT[],

    CONSTRAINT "import_rows_pkey" PRIMARY KEY ("tenant_id", "job_id", "n")
) PARTITION BY RANGE ("job_id");
CREATE TABLE "import_rows_all" PARTITION OF "import_rows" DEFAULT;

CREATE TABLE "import_rejects" (
    "tenant_id" TEXT NOT NULL,
    "job_id" BIGINT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "line" INTEGER NOT NULL,
    "column" TEXT,
    "value" TEXT,
    "reason" TEXT NOT NULL,

    CONSTRAINT "import_rejects_pkey" PRIMARY KEY ("tenant_id", "job_id", "line", "id")
);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['uploads', 'import_profiles', 'bulk_jobs', 'import_rows', 'import_rejects'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY system ON %I TO causeway_system USING (true) WITH CHECK (true)', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON "uploads", "import_profiles", "bulk_jobs", "import_rejects" TO causeway_app;
GRANT SELECT, UPDATE, DELETE ON "import_rows" TO causeway_app;
GRANT INSERT ("job_id", "n", "line", "faulty", "cells") ON "import_rows_all" TO causeway_app;
GRANT USAGE ON SEQUENCE "uploads_id_seq", "import_profiles_id_seq", "bulk_jobs_id_seq", "import_rejects_id_seq" TO causeway_app;
-- Jobs without a worker, files that nobody imported, and what ended jobs leave are looked for over all tenants.
GRANT SELECT, UPDATE ("announced_at") ON "bulk_jobs" TO causeway_system;
GRANT SELECT, DELETE ON "uploads", "import_rows", "import_rejects" TO causeway_system;
