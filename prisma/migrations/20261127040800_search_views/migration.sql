-- What the search reads. Row-level security tries no operator that is not leakproof before it has checked the row's tenant, so that
-- neither lower() nor ILIKE would use an index. These views belong to causeway_system, which sees every row, and filter by the tenant
-- as the policies do.
CREATE VIEW "searched_workflows" AS
  SELECT tenant_id, id, name, active FROM workflows WHERE tenant_id = (SELECT current_tenant()) AND deleted_at IS NULL;
CREATE VIEW "searched_triggers" AS
  SELECT tenant_id, id, workflow_id, handle, type, name FROM triggers WHERE tenant_id = (SELECT current_tenant());
CREATE VIEW "searched_products" AS
  SELECT tenant_id, id, sku, name FROM products WHERE tenant_id = (SELECT current_tenant());
CREATE VIEW "searched_organizations" AS
  SELECT tenant_id, id, customer_number, name FROM organizations WHERE tenant_id = (SELECT current_tenant());
CREATE VIEW "searched_orders" AS
  SELECT tenant_id, id, number, status, external_key, erp_number, customer_order_number, organization_id, placed_at
  FROM orders WHERE tenant_id = (SELECT current_tenant());
CREATE VIEW "searched_api_keys" AS
  SELECT tenant_id, id, name, prefix, revoked_at FROM api_keys WHERE tenant_id = (SELECT current_tenant());

GRANT SELECT ON "searched_workflows", "searched_triggers", "searched_products", "searched_organizations", "searched_orders",
  "searched_api_keys" TO causeway_app;

GRANT SELECT ("tenant_id", "id", "sku", "name") ON "products" TO causeway_system;
GRANT SELECT ("tenant_id", "id", "customer_number", "name") ON "organizations" TO causeway_system;
GRANT SELECT ("tenant_id", "id", "number", "status", "external_key", "erp_number", "customer_order_number", "organization_id", "placed_at") ON "orders" TO causeway_system;

-- The new owner must be allowed to create in the schema, for as long as it takes.
GRANT CREATE ON SCHEMA public TO causeway_system;
ALTER VIEW "searched_workflows" OWNER TO causeway_system;
ALTER VIEW "searched_triggers" OWNER TO causeway_system;
ALTER VIEW "searched_products" OWNER TO causeway_system;
ALTER VIEW "searched_organizations" OWNER TO causeway_system;
ALTER VIEW "searched_orders" OWNER TO causeway_system;
ALTER VIEW "searched_api_keys" OWNER TO causeway_system;
REVOKE CREATE ON SCHEMA public FROM causeway_system;

-- Both are trusted: the owner of the database may create them. Where the server lacks them or does not allow them, search finds what
-- begins with a text, and the migration that needs them is applied at the first start after somebody has created them.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['pg_trgm', 'btree_gin'] LOOP
    BEGIN
      EXECUTE format('CREATE EXTENSION IF NOT EXISTS %I', name);
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
      RAISE WARNING 'The extension % cannot be created: %', name, SQLERRM;
    END;
  END LOOP;
END $$;
