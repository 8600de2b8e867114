-- Every booking looks for the expired reservations of its place: by the index alone, however many others wait there.
DROP INDEX "stock_reservations_tenant_id_sku_location_idx";
CREATE INDEX "stock_reservations_tenant_id_sku_location_expires_at_idx"
    ON "stock_reservations" ("tenant_id", "sku", "location", "expires_at");
