-- A count of an article that is not sold any more is refused. Where balances say so themselves, a file is compared with them alone: to send
-- or to join a million articles as well took longer than the balances (docs/decisions/unchanged-rows-are-left-out.md).
ALTER TABLE "stock_balances" ADD COLUMN "has_product" BOOLEAN NOT NULL DEFAULT true;
UPDATE "stock_balances" b SET "has_product" = false
    WHERE NOT EXISTS (SELECT FROM "products" p WHERE p.tenant_id = b.tenant_id AND p.sku = b.sku);
CREATE INDEX "stock_balances_without_product_idx" ON "stock_balances" ("tenant_id", "sku") WHERE NOT "has_product";

CREATE FUNCTION balances_lose_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stock_balances SET has_product = false WHERE tenant_id = OLD.tenant_id AND sku = OLD.sku;
  RETURN NULL;
END $$;
CREATE TRIGGER balances_lose_product AFTER DELETE ON products FOR EACH ROW EXECUTE FUNCTION balances_lose_product();

CREATE FUNCTION balances_get_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stock_balances b SET has_product = true FROM made p
    WHERE NOT b.has_product AND b.tenant_id = p.tenant_id AND b.sku = p.sku;
  RETURN NULL;
END $$;
CREATE TRIGGER balances_get_product AFTER INSERT ON products REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION balances_get_product();
