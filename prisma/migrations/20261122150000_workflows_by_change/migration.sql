-- Lists of workflows by their last change.
CREATE INDEX "workflows_changes_idx" ON "workflows" ("tenant_id", "updated_at", "id") WHERE "deleted_at" IS NULL;
