-- What a request has caused is found without reading the rest of the tenant.
CREATE INDEX CONCURRENTLY "runs_request_idx" ON "runs" ("tenant_id", "request_id", "id") WHERE "request_id" IS NOT NULL;
