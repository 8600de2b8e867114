-- Statistics are read from this index alone: a tenant's rows lie scattered over the table.
CREATE INDEX CONCURRENTLY "run_rollups_counts_idx" ON "run_rollups" ("tenant_id", "slot") INCLUDE ("workflow_id", "trigger_type", "status", "duration_ms", "runs") WHERE "runs" <> 0;
