-- At most one job for each key of a tenant.
CREATE UNIQUE INDEX CONCURRENTLY "bulk_jobs_idempotency_idx" ON "bulk_jobs" ("tenant_id", "idempotency_key") WHERE "idempotency_key" IS NOT NULL;
