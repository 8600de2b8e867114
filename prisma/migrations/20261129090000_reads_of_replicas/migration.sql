-- A statement on a standby calls this before it reads: it fails (CW001) unless the standby has replayed what the reader may already know.
-- The row of server_timelines tells a standby that follows the present primary from one that stayed behind at a failover, whose log may
-- be as long.
CREATE FUNCTION "assert_replayed"(timeline_number integer, log_position pg_lsn) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL RESTRICTED SET search_path FROM CURRENT AS $$
BEGIN
  IF pg_last_wal_replay_lsn() >= log_position
    AND timeline_number <= (SELECT coalesce(max(number), 0) FROM server_timelines) THEN
    RETURN;
  END IF;
  RAISE EXCEPTION 'The replica has not replayed % yet.', log_position USING ERRCODE = 'CW001';
END $$;
REVOKE EXECUTE ON FUNCTION "assert_replayed"(integer, pg_lsn) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "assert_replayed"(integer, pg_lsn) TO causeway_app;
