-- The reruns of a run are found without reading the tenant's runs.
CREATE INDEX CONCURRENTLY "runs_rerun_idx" ON "runs" ("tenant_id", "rerun_of_id", "id") WHERE "rerun_of_id" IS NOT NULL;
