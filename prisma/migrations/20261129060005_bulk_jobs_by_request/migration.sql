-- What a request has caused is found without reading the rest of the tenant.
CREATE INDEX CONCURRENTLY "bulk_jobs_request_idx" ON "bulk_jobs" ("tenant_id", "request_id", "id") WHERE "request_id" IS NOT NULL;
