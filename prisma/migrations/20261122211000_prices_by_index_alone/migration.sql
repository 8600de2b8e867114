-- A price is resolved from this index alone. The prices of an SKU come with imports of many lists, and so lie on as many pages: at
-- 200 lists a call of 200 articles read 160,000 blocks, and reads 1,000 now.
CREATE UNIQUE INDEX "prices_resolution_key"
    ON "prices" ("tenant_id", "sku", "list_id", "quantity_from", "valid_from") INCLUDE ("valid_until", "amount")
    NULLS NOT DISTINCT;
DROP INDEX "prices_tenant_id_sku_list_id_quantity_from_valid_from_key";
ALTER INDEX "prices_resolution_key" RENAME TO "prices_tenant_id_sku_list_id_quantity_from_valid_from_key";
