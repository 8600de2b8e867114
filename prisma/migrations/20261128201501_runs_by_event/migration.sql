-- The runs that an event started are found without reading the tenant's runs.
CREATE INDEX CONCURRENTLY "runs_event_idx" ON "runs" ("tenant_id", "event_id", "id") WHERE "event_id" IS NOT NULL;
-- The steps that called another system are found without reading the other steps of a run.
CREATE INDEX CONCURRENTLY "steps_calls_idx" ON "steps" ("tenant_id", "run_id", "started_at") WHERE "calls" IS NOT NULL;
