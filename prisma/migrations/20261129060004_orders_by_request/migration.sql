-- What a request has caused is found without reading the rest of the tenant.
CREATE INDEX CONCURRENTLY "order_changes_request_idx" ON "order_changes" ("tenant_id", "request_id", "order_id") WHERE "request_id" IS NOT NULL;
