-- Staged rows are read again from their file when they are lost, so they are not logged; a column a value costs less than an array.
DROP TABLE "import_rows";
CREATE TABLE "import_rows" (
    "tenant_id" TEXT NOT NULL DEFAULT current_tenant(),
    "job_id" BIGINT NOT NULL,
    "n" INTEGER NOT NULL,
    "line" INTEGER NOT NULL,
    "faulty" BOOLEAN NOT NULL,
    "c1" TEXT,
    "c2" TEXT,
    "c3" TEXT,
    "c4" TEXT,
    "c5" TEXT,
    "c6" TEXT,
    "c7" TEXT,
    "c8" TEXT,
    "c9" TEXT,
    "c10" TEXT,
    "c11" TEXT,
    "c12" TEXT,
    "c13" TEXT,
    "c14" TEXT,
    "c15" TEXT,
    "c16" TEXT,

    CONSTRAINT "import_rows_pkey" PRIMARY KEY ("tenant_id", "job_id", "n")
) PARTITION BY RANGE ("job_id");
-- Rows are copied into the partition, which COPY demands to be without row-level security. A tenant can add rows of its own there,
-- as the tenant is not a column that may be given, and reads them through the table above it, which is secured.
CREATE UNLOGGED TABLE "import_rows_all" PARTITION OF "import_rows" DEFAULT;

ALTER TABLE "import_rows" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "import_rows" FORCE ROW LEVEL SECURITY;
-- Asked once a statement, as a million rows are read in one.
CREATE POLICY tenant ON "import_rows" TO causeway_app
  USING (tenant_id = (SELECT current_tenant())) WITH CHECK (tenant_id = (SELECT current_tenant()));
CREATE POLICY system ON "import_rows" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE, DELETE ON "import_rows" TO causeway_app;
GRANT INSERT ("job_id", "n", "line", "faulty", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", "c12", "c13", "c14", "c15", "c16") ON "import_rows_all" TO causeway_app;
GRANT SELECT, DELETE ON "import_rows" TO causeway_system;

-- Events of many records that a file changed, as one row until they are handed out.
CREATE TABLE "import_event_sets" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "target" TEXT NOT NULL,
    "data" JSONB NOT NULL,

    CONSTRAINT "import_event_sets_pkey" PRIMARY KEY ("tenant_id", "id")
);
-- The oldest of all tenants comes first.
CREATE INDEX "import_event_sets_id_idx" ON "import_event_sets" ("id");
ALTER TABLE "import_event_sets" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "import_event_sets" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "import_event_sets" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "import_event_sets" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON "import_event_sets" TO causeway_app;
GRANT USAGE ON SEQUENCE "import_event_sets_id_seq" TO causeway_app;
GRANT SELECT, UPDATE ("data"), DELETE ON "import_event_sets" TO causeway_system;
