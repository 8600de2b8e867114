-- The polls of all tenants that have failed several times in a row.
CREATE INDEX CONCURRENTLY "polls_failing_idx" ON "polls" ("tenant_id") WHERE "active" AND "failures" >= 3;
