-- The move that keeps the tenant of the transaction closed, for those who use it; no row while the tenant is open.
CREATE FUNCTION "closing_move"() RETURNS TABLE ("arrives" boolean, "moves_to" text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT direction = 'in', moves_to FROM tenant_moves WHERE state = 'closed' AND tenant = current_setting('causeway.tenant_id', true)
$$;
REVOKE EXECUTE ON FUNCTION "closing_move"() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "closing_move"() TO causeway_app;
