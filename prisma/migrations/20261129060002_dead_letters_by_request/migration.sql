-- What a request has caused is found without reading the rest of the tenant.
CREATE INDEX CONCURRENTLY "dead_letters_request_idx" ON "dead_letters" ("tenant_id", "request_id", "id") WHERE "request_id" IS NOT NULL;
