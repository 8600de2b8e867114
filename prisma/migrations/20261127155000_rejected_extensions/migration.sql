-- What an operator refuses to publish; its owner registers another version.
ALTER TYPE "extension_status" ADD VALUE 'rejected' BEFORE 'withdrawn';

-- Other tenants see what was published. The former condition would have shown them rejected versions.
ALTER POLICY seen ON "extensions"
  USING (current_tenant() IS NULL OR tenant_id = current_tenant() OR (type = 'public' AND status IN ('published', 'withdrawn')));
