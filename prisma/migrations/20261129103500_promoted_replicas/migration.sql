-- A server that was promoted still tells how far it once replayed, which is far enough while the primary rests: it fails here as well.
CREATE OR REPLACE FUNCTION "assert_replayed"(timeline_number integer, log_position pg_lsn) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL RESTRICTED SET search_path FROM CURRENT AS $$
BEGIN
  IF pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= log_position
    AND timeline_number <= (SELECT coalesce(max(number), 0) FROM server_timelines) THEN
    RETURN;
  END IF;
  RAISE EXCEPTION 'The replica has not replayed % yet.', log_position USING ERRCODE = 'CW001';
END $$;
