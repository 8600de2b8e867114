-- The number of this installation, which the first migration fixes. All ids that it gives lie from number x 2^45 up to the next number's, so those of two
-- installations never meet, and all of them are below 2^53, exact in JSON and in JavaScript.
CREATE TABLE "installation_number" (
    "number" SMALLINT NOT NULL,

    CONSTRAINT "installation_number_pkey" PRIMARY KEY ("number"),
    CONSTRAINT "installation_number_check" CHECK ("number" BETWEEN 0 AND 255)
);
GRANT SELECT ON "installation_number" TO causeway_app, causeway_system;

DO $$
DECLARE
  chosen CONSTANT smallint := coalesce(nullif(current_setting('causeway.installation', true), ''), '0');
BEGIN
  IF chosen <> 0 AND EXISTS (
    SELECT FROM pg_sequence JOIN pg_class c ON c.oid = seqrelid
    WHERE relnamespace = 'public'::regnamespace AND seqtypid = 'bigint'::regtype AND pg_sequence_last_value(seqrelid) IS NOT NULL
  ) THEN
    RAISE EXCEPTION 'This database has given ids as installation 0, and INSTALLATION says %. Set INSTALLATION=0, or start with an empty database.', chosen;
  END IF;
  INSERT INTO installation_number (number) VALUES (chosen);
END $$;

-- Gives every sequence the range of this installation. Those that have it stay as they are, so that it can follow each migration that makes some.
CREATE FUNCTION "place_sequences"() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  room CONSTANT bigint := 35184372088832;
  first CONSTANT bigint := (SELECT greatest(1, number * room) FROM installation_number);
  last CONSTANT bigint := (SELECT (number + 1) * room - 1 FROM installation_number);
  entry regclass;
BEGIN
  FOR entry IN
    SELECT seqrelid FROM pg_sequence JOIN pg_class c ON c.oid = seqrelid
    WHERE relnamespace = 'public'::regnamespace AND relpersistence <> 't' AND seqtypid = 'bigint'::regtype AND (seqmin, seqmax) <> (first, last)
  LOOP
    EXECUTE format('ALTER SEQUENCE %s MINVALUE %s START %s MAXVALUE %s %s', entry, first, first, last, CASE WHEN first > 1 THEN 'RESTART' ELSE '' END);
    -- Without it, the system role would not see how much of the range has been given.
    EXECUTE format('GRANT SELECT ON SEQUENCE %s TO causeway_system', entry);
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION "place_sequences"() FROM PUBLIC;
SELECT place_sequences();

-- A sequence that has given nothing begins at the range of its installation, and not at 0.
CREATE OR REPLACE FUNCTION "ensure_partitions"() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  span CONSTANT bigint := 5000000;
  made integer := 0;
  entry record;
  part bigint;
BEGIN
  -- One at a time: two processes starting together must not race to create the same table.
  PERFORM pg_advisory_xact_lock(hashtext('causeway.partitions'));
  FOR entry IN
    SELECT t.name, t.sequence, t.fill FROM (VALUES
      ('runs', 'runs_id_seq', 80), ('run_payloads', 'runs_id_seq', 100), ('run_results', 'runs_id_seq', 100),
      ('steps', 'runs_id_seq', 100), ('run_log_lines', 'runs_id_seq', 100), ('audit_entries', 'audit_entries_id_seq', 100),
      ('webhook_payloads', 'webhook_payloads_id_seq', 100), ('webhook_deliveries', 'webhook_deliveries_id_seq', 50),
      ('webhook_attempts', 'webhook_deliveries_id_seq', 100)
    ) AS t(name, sequence, fill)
  LOOP
    FOR part IN SELECT generate_series(p, p + 1) FROM (
      SELECT coalesce(pg_sequence_last_value(seqrelid), seqstart) / span AS p FROM pg_sequence WHERE seqrelid = entry.sequence::regclass
    ) AS current
    LOOP
      made := made + ensure_partition(entry.name, part, entry.fill);
    END LOOP;
  END LOOP;
  RETURN made;
END $$;

-- Makes one partition, unless it is there: also one of another installation's ids, for the rows of a tenant that moves here.
CREATE FUNCTION "ensure_partition"("parent" text, "part" bigint, "fill" integer) RETURNS integer
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  span CONSTANT bigint := 5000000;
  name CONSTANT text := parent || '_p' || part;
BEGIN
  IF to_regclass(quote_ident(name)) IS NOT NULL THEN RETURN 0; END IF;
  EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)', name, parent, part * span, (part + 1) * span);
  IF fill < 100 THEN
    -- A row is inserted once and updated a few times: leave room, and look often.
    EXECUTE format('ALTER TABLE %I SET (fillfactor = %s, autovacuum_vacuum_scale_factor = 0.05)', name, fill);
  END IF;
  RETURN 1;
END $$;
REVOKE EXECUTE ON FUNCTION "ensure_partition"(text, bigint, integer) FROM PUBLIC;
