-- Needs the extensions pg_trgm, btree_gin.
-- In lower case where the name is all: Prisma, which compares databases, leaves indexes on expressions alone.
CREATE INDEX CONCURRENTLY "workflows_searched_trigrams_idx" ON "workflows" USING gin ("tenant_id", lower("name") gin_trgm_ops) WHERE "deleted_at" IS NULL;
CREATE INDEX CONCURRENTLY "triggers_searched_trigrams_idx" ON "triggers" USING gin ("tenant_id", lower("name") gin_trgm_ops);
CREATE INDEX CONCURRENTLY "products_searched_trigrams_idx" ON "products" USING gin ("tenant_id", ("sku" || ' ' || "name") gin_trgm_ops);
CREATE INDEX CONCURRENTLY "organizations_searched_trigrams_idx" ON "organizations" USING gin ("tenant_id", ("customer_number" || ' ' || "name") gin_trgm_ops);
CREATE INDEX CONCURRENTLY "api_keys_searched_trigrams_idx" ON "api_keys" USING gin ("tenant_id", lower("name") gin_trgm_ops);
