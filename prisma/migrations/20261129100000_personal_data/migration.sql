-- The erasure of a person changes rows that the application's roles may only add. It does so as the owner of the tables, which only the
-- command `causeway customer erase` becomes, and only in the tenant of its transaction.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['audit_entries', 'outbox_events', 'webhook_payloads', 'webhook_attempts', 'test_run_outputs', 'order_changes',
    'bulk_action_refusals'] LOOP
    EXECUTE format('CREATE POLICY erasure_reads ON %I FOR SELECT TO CURRENT_USER USING (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY erasure ON %I FOR UPDATE TO CURRENT_USER USING (tenant_id = current_tenant())
      WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
END $$;
-- An event that a consumer has yet to read keeps what it says of a person. A cursor says nothing of any tenant.
GRANT SELECT ON "outbox_cursors" TO causeway_app;
