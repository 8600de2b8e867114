-- Names and numbers in lower case, by their bytes, so that what begins with a text is a range of the index under any collation.
CREATE INDEX CONCURRENTLY "workflows_searched_name_idx" ON "workflows" ("tenant_id", lower("name") text_pattern_ops) WHERE "deleted_at" IS NULL;
CREATE INDEX CONCURRENTLY "triggers_searched_name_idx" ON "triggers" ("tenant_id", lower("name") text_pattern_ops);
CREATE INDEX CONCURRENTLY "products_searched_sku_idx" ON "products" ("tenant_id", lower("sku") text_pattern_ops);
CREATE INDEX CONCURRENTLY "products_searched_name_idx" ON "products" ("tenant_id", lower("name") text_pattern_ops);
CREATE INDEX CONCURRENTLY "organizations_searched_number_idx" ON "organizations" ("tenant_id", lower("customer_number") text_pattern_ops);
CREATE INDEX CONCURRENTLY "organizations_searched_name_idx" ON "organizations" ("tenant_id", lower("name") text_pattern_ops);
CREATE INDEX CONCURRENTLY "orders_searched_erp_number_idx" ON "orders" ("tenant_id", lower("erp_number") text_pattern_ops) WHERE "erp_number" IS NOT NULL;
CREATE INDEX CONCURRENTLY "orders_searched_customer_number_idx" ON "orders" ("tenant_id", lower("customer_order_number") text_pattern_ops) WHERE "customer_order_number" IS NOT NULL;
CREATE INDEX CONCURRENTLY "api_keys_searched_name_idx" ON "api_keys" ("tenant_id", lower("name") text_pattern_ops);
