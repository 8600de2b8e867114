-- Runs that test a workflow: what their nodes answer without being executed, and what they wrote into the state store.
-- A column with a constant default is added without rewriting the table.
ALTER TABLE "runs" ADD COLUMN "is_test" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "steps" ADD COLUMN "origin" TEXT;
ALTER TABLE "workflow_bundles" ADD COLUMN "content_hash" TEXT;

CREATE TABLE "test_runs" (
    "tenant_id" TEXT NOT NULL,
    "run_id" BIGINT NOT NULL,

    CONSTRAINT "test_runs_pkey" PRIMARY KEY ("tenant_id", "run_id")
);

CREATE TABLE "test_run_outputs" (
    "tenant_id" TEXT NOT NULL,
    "run_id" BIGINT NOT NULL,
    "path" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "branch" TEXT NOT NULL,
    "outputs" JSONB NOT NULL,

    CONSTRAINT "test_run_outputs_pkey" PRIMARY KEY ("tenant_id", "run_id", "path")
);

CREATE TABLE "test_run_state" (
    "tenant_id" TEXT NOT NULL,
    "run_id" BIGINT NOT NULL,
    "namespace" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" JSON,
    "version" BIGINT NOT NULL,
    "writer" TEXT,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "test_run_state_pkey" PRIMARY KEY ("tenant_id", "run_id", "namespace", "key")
);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['test_runs', 'test_run_outputs', 'test_run_state'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY system ON %I TO causeway_system USING (true) WITH CHECK (true)', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT ON "test_runs", "test_run_outputs" TO causeway_app;
GRANT SELECT, INSERT, UPDATE ON "test_run_state" TO causeway_app;
GRANT SELECT, INSERT, DELETE ON "test_runs", "test_run_outputs" TO causeway_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON "test_run_state" TO causeway_system;
