-- The history of one object, and the entries of a time, are found without reading the others.
CREATE INDEX CONCURRENTLY "audit_entries_tenant_id_resource_id_resource_type_id_idx" ON "audit_entries" ("tenant_id", "resource_id", "resource_type", "id");
CREATE INDEX CONCURRENTLY "audit_entries_created_at_idx" ON "audit_entries" ("created_at");
