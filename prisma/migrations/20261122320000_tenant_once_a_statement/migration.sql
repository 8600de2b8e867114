-- Asked once a statement: files are compared with a million rows of these tables at once, where asking for each row takes as long as the
-- join itself.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['products', 'price_lists', 'prices', 'stock_balances', 'stock_movements', 'import_rejects'] LOOP
    EXECUTE format('ALTER POLICY tenant ON %I USING (tenant_id = (SELECT current_tenant())) WITH CHECK (tenant_id = (SELECT current_tenant()))', name);
  END LOOP;
END $$;
