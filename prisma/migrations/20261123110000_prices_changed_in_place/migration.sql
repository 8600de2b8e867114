-- Amounts change, and nothing else of most prices. Where no index has them, and a page has room for another version of its rows, a change
-- writes none of the three indexes, which were three quarters of it (docs/decisions/prices-change-in-place.md).
ALTER TABLE "prices" SET (fillfactor = 50);
CREATE UNIQUE INDEX "prices_changed_in_place_key"
    ON "prices" ("tenant_id", "sku", "list_id", "quantity_from", "valid_from") NULLS NOT DISTINCT;
DROP INDEX "prices_tenant_id_sku_list_id_quantity_from_valid_from_key";
ALTER INDEX "prices_changed_in_place_key" RENAME TO "prices_tenant_id_sku_list_id_quantity_from_valid_from_key";
