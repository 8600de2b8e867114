-- A session keeps the plan that a trigger's function had at its first call. Made while no balance lacked its product, the plan compared each
-- new product with each such balance: 2,000 products and 20,000 balances took 46 s. And balances were locked in another order than by
-- everybody else, so that whoever books movements meanwhile could deadlock with it.
CREATE OR REPLACE FUNCTION balances_lose_product() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  UPDATE stock_balances SET has_product = false WHERE tenant_id = OLD.tenant_id AND sku = OLD.sku;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION balances_get_product() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  lost record;
BEGIN
  -- OFFSET 0 keeps the planner from turning the join around.
  FOR lost IN
    SELECT b.* FROM made CROSS JOIN LATERAL (
      SELECT tenant_id, sku, location FROM stock_balances
      WHERE tenant_id = made.tenant_id AND sku = made.sku AND NOT has_product OFFSET 0
    ) AS b ORDER BY tenant_id, sku, location
  LOOP
    UPDATE stock_balances SET has_product = true
      WHERE tenant_id = lost.tenant_id AND sku = lost.sku AND location = lost.location;
  END LOOP;
  RETURN NULL;
END $$;

-- An owner that does not inherit the roles' rights sees no rows of tables that force row-level security on it, so that the balances of an
-- earlier version would all say that they have a product.
ALTER TABLE "stock_balances" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "products" NO FORCE ROW LEVEL SECURITY;
UPDATE "stock_balances" b SET "has_product" = false
    WHERE b.has_product AND NOT EXISTS (SELECT FROM "products" p WHERE p.tenant_id = b.tenant_id AND p.sku = b.sku);
ALTER TABLE "products" FORCE ROW LEVEL SECURITY;
ALTER TABLE "stock_balances" FORCE ROW LEVEL SECURITY;
