-- How many runs ended alike in each half-hour, and changes that are not added to it yet.
CREATE TABLE "run_rollups" (
    "tenant_id" TEXT NOT NULL,
    "slot" TIMESTAMPTZ(0) NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "trigger_type" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "duration_ms" BIGINT NOT NULL,
    "runs" BIGINT NOT NULL,

    CONSTRAINT "run_rollups_pkey" PRIMARY KEY ("tenant_id", "slot", "workflow_id", "trigger_type", "status", "duration_ms")
);
CREATE INDEX "run_rollups_tenant_id_workflow_id_slot_idx" ON "run_rollups" ("tenant_id", "workflow_id", "slot");

CREATE TABLE "run_rollup_changes" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "slot" TIMESTAMPTZ(0) NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "trigger_type" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "duration_ms" BIGINT NOT NULL,
    "runs" BIGINT NOT NULL,

    CONSTRAINT "run_rollup_changes_pkey" PRIMARY KEY ("tenant_id", "id")
);
-- Every row is deleted within seconds: vacuum by number, not by share.
ALTER TABLE "run_rollup_changes" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['run_rollups', 'run_rollup_changes'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY system ON %I TO causeway_system USING (true) WITH CHECK (true)', name);
  END LOOP;
END $$;
GRANT SELECT ON "run_rollups", "run_rollup_changes" TO causeway_app;
GRANT INSERT ON "run_rollup_changes" TO causeway_app;
GRANT USAGE ON SEQUENCE "run_rollup_changes_id_seq" TO causeway_app, causeway_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON "run_rollups" TO causeway_system;
GRANT SELECT, INSERT, DELETE ON "run_rollup_changes" TO causeway_system;
-- The runs that there are, as insertRollupChangesSql counts them. Read as the role that sees all tenants' rows.
SET LOCAL ROLE causeway_system;
INSERT INTO "run_rollups" ("tenant_id", "slot", "workflow_id", "trigger_type", "status", "duration_ms", "runs")
SELECT tenant_id, date_bin('1800000 milliseconds', completed_at, 'epoch'::timestamptz), workflow_id, trigger_type, status,
  CASE
    WHEN span.ms < 100 THEN greatest(0, span.ms)
    WHEN span.ms < 200 THEN span.ms - span.ms % 2
    WHEN span.ms < 500 THEN span.ms - span.ms % 5
    WHEN span.ms < 1000 THEN span.ms - span.ms % 10
    WHEN span.ms < 2000 THEN span.ms - span.ms % 20
    WHEN span.ms < 5000 THEN span.ms - span.ms % 50
    WHEN span.ms < 10000 THEN span.ms - span.ms % 100
    WHEN span.ms < 20000 THEN span.ms - span.ms % 200
    WHEN span.ms < 50000 THEN span.ms - span.ms % 500
    WHEN span.ms < 100000 THEN span.ms - span.ms % 1000
    WHEN span.ms < 200000 THEN span.ms - span.ms % 2000
    WHEN span.ms < 500000 THEN span.ms - span.ms % 5000
    WHEN span.ms < 1000000 THEN span.ms - span.ms % 10000
    WHEN span.ms < 2000000 THEN span.ms - span.ms % 20000
    WHEN span.ms < 5000000 THEN span.ms - span.ms % 50000
    WHEN span.ms < 10000000 THEN span.ms - span.ms % 100000
    WHEN span.ms < 20000000 THEN span.ms - span.ms % 200000
    WHEN span.ms < 50000000 THEN span.ms - span.ms % 500000
    WHEN span.ms < 100000000 THEN span.ms - span.ms % 1000000
    WHEN span.ms < 200000000 THEN span.ms - span.ms % 2000000
    WHEN span.ms < 500000000 THEN span.ms - span.ms % 5000000
    ELSE span.ms - span.ms % 10000000 END, count(*)
FROM runs CROSS JOIN LATERAL (
  SELECT round(extract(epoch FROM completed_at - started_at) * 1000)::bigint AS ms OFFSET 0
) AS span
WHERE completed_at >= now() - interval '400 days' AND started_at IS NOT NULL
GROUP BY 1, 2, 3, 4, 5, 6;
RESET ROLE;
