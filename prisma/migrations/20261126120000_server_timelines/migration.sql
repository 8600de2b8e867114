-- The servers that the database has taken writes on, the present one last: a server that was promoted, a backup that was restored to a point in
-- time, and a dump that was restored elsewhere each have another system identifier or timeline. "table_id" is this table's own oid, which
-- also tells a dump that was restored on the same server.
CREATE TABLE "server_timelines" (
    "number" INTEGER NOT NULL,
    "system" TEXT NOT NULL,
    "timeline" INTEGER NOT NULL,
    "table_id" OID NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "server_timelines_pkey" PRIMARY KEY ("number")
);
GRANT SELECT ON "server_timelines" TO causeway_app;
GRANT SELECT, INSERT ON "server_timelines" TO causeway_system;
GRANT SELECT, UPDATE ON "order_numbers" TO causeway_system;

-- Moves every sequence ahead, a sequence that nobody has used from its start. Runs as the owner, who alone may set them.
CREATE FUNCTION "move_sequences"("by" bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM setval(seqrelid::regclass, least(seqmax, coalesce(pg_sequence_last_value(seqrelid), seqstart) + by))
    FROM pg_sequence JOIN pg_class ON pg_class.oid = seqrelid
    WHERE relpersistence <> 't' AND seqincrement > 0 AND has_sequence_privilege(seqrelid, 'UPDATE');
  PERFORM ensure_partitions();
END $$;
REVOKE EXECUTE ON FUNCTION "move_sequences"(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "move_sequences"(bigint) TO causeway_system;

-- Records the server that the caller is connected to, and returns how far ids and order numbers were moved ahead for it: not for the first server
-- of all, nor where another process has done so.
CREATE FUNCTION "enter_timeline"("present_system" text, "present_timeline" integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  step CONSTANT bigint := 1000000;
  latest server_timelines;
  present_table CONSTANT oid := 'server_timelines'::regclass;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('causeway.timeline'));
  SELECT * INTO latest FROM server_timelines ORDER BY number DESC LIMIT 1;
  IF latest.system = present_system AND latest.timeline = present_timeline AND latest.table_id = present_table THEN RETURN 0; END IF;
  IF latest.number IS NOT NULL THEN
    PERFORM move_sequences(step);
    UPDATE order_numbers SET last = last + step;
    INSERT INTO audit_entries (org_id, tenant_id, via_system, channel, action, resource_type, resource_id, metadata)
    VALUES ('', '', true, 'system', 'move_ids', 'database', latest.number + 1, jsonb_build_object(
      'moved_by', step,
      'from', jsonb_build_object('system', latest.system, 'timeline', latest.timeline),
      'to', jsonb_build_object('system', present_system, 'timeline', present_timeline)));
  END IF;
  INSERT INTO server_timelines (number, system, timeline, table_id)
    VALUES (coalesce(latest.number, 0) + 1, present_system, present_timeline, present_table);
  RETURN CASE WHEN latest.number IS NULL THEN 0 ELSE step END;
END $$;
REVOKE EXECUTE ON FUNCTION "enter_timeline"(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "enter_timeline"(text, integer) TO causeway_system;
