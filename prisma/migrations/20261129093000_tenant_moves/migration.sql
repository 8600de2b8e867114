-- Tenants that leave for another installation or arrive from one. The column is not named tenant_id, because tenants see nothing of it.
CREATE TABLE "tenant_moves" (
    "tenant" TEXT NOT NULL,
    "move_id" UUID NOT NULL,
    "direction" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'copying',
    "moves_to" TEXT,
    "copied_from" BIGINT,
    "read_to" JSONB,
    "jobs" JSONB NOT NULL DEFAULT '[]',
    "loaded" TEXT[] NOT NULL DEFAULT '{}',
    "begun_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_at" TIMESTAMPTZ(3),
    "exported_at" TIMESTAMPTZ(3),

    CONSTRAINT "tenant_moves_pkey" PRIMARY KEY ("tenant"),
    CONSTRAINT "tenant_moves_direction_check" CHECK ("direction" IN ('out', 'in')),
    CONSTRAINT "tenant_moves_state_check" CHECK ("state" IN ('copying', 'closed'))
);
-- Rows that were deleted after they had been copied.
CREATE TABLE "tenant_move_deletions" (
    "id" BIGSERIAL NOT NULL,
    "tenant" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "key" TEXT[] NOT NULL,

    CONSTRAINT "tenant_move_deletions_pkey" PRIMARY KEY ("tenant", "id")
);

-- Of every table of a tenant that moves, by triggers that exist only meanwhile: refuses its writes once it is closed, and notes what is deleted before.
CREATE FUNCTION "guard_moving_tenant"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  moved CONSTANT text := CASE TG_OP WHEN 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END;
  move tenant_moves;
BEGIN
  -- Before the read: a transaction that did not see the tenant closed has an id by then, and closing waits for it.
  PERFORM pg_current_xact_id();
  SELECT * INTO move FROM tenant_moves WHERE tenant = moved;
  IF move.state = 'closed' THEN
    RAISE EXCEPTION USING ERRCODE = 'CW503',
      MESSAGE = format('Tenant %s moves to another installation%s. Send the request again later.', moved, coalesce(': ' || move.moves_to, ''));
  END IF;
  IF TG_OP <> 'DELETE' THEN RETURN NEW; END IF;
  IF TG_NARGS > 0 AND move.state = 'copying' THEN
    INSERT INTO tenant_move_deletions (tenant, name, key)
    SELECT moved, TG_ARGV[0], array_agg(to_jsonb(OLD) ->> TG_ARGV[place] ORDER BY place) FROM generate_series(1, TG_NARGS - 1) AS place;
  END IF;
  RETURN OLD;
END $$;
REVOKE EXECUTE ON FUNCTION "guard_moving_tenant"() FROM PUBLIC;

-- Workers, the relay and sweeps see no rows of a tenant that is closed, so that they leave it alone and go on with the others.
CREATE FUNCTION "is_tenant_open"("asked" text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT NOT EXISTS (SELECT FROM tenant_moves WHERE tenant = asked AND state = 'closed')
$$;
REVOKE EXECUTE ON FUNCTION "is_tenant_open"(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "is_tenant_open"(text) TO causeway_system;
