-- What a request has caused is found without reading the rest of the tenant.
CREATE INDEX CONCURRENTLY "webhook_payloads_request_idx" ON "webhook_payloads" ("tenant_id", "request_id", "id") WHERE "request_id" IS NOT NULL;
