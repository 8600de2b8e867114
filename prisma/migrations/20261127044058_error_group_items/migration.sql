-- The items of a group, by workflow: their number, the workflows and the newest item are read from the index alone.
CREATE INDEX CONCURRENTLY "runs_error_group_idx" ON "runs" ("tenant_id", "error_group_id", "workflow_id", "id") WHERE "error_group_id" IS NOT NULL;
CREATE INDEX CONCURRENTLY "dead_letters_error_group_idx" ON "dead_letters" ("tenant_id", "error_group_id", "status", "workflow_id", "id") WHERE "error_group_id" IS NOT NULL;
CREATE INDEX CONCURRENTLY "webhook_deliveries_error_group_idx" ON "webhook_deliveries" ("tenant_id", "error_group_id", "destination_id", "id") WHERE "error_group_id" IS NOT NULL;
