-- A new delivery is found by its id, behind the place up to which its queue has been worked off, and needs no time. Only one that was tried,
-- resent, recovered or pinged has one, so neither an insert nor a first success touches an index over what waits.
ALTER TABLE "webhook_queues" ADD COLUMN "sent_to" BIGINT NOT NULL DEFAULT 0;
UPDATE "webhook_queues" SET "sent_to" = coalesce(pg_sequence_last_value('webhook_deliveries_id_seq'), 0);

ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_status_check";
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_status_check"
    CHECK ("status" IN ('pending', 'delivered', 'failed', 'held') AND ("status" = 'pending' OR "next_attempt_at" IS NULL));
-- No index names the status, so that an outcome which changes nothing else stays within its page and touches none of them.
ALTER TABLE "webhook_deliveries" ADD COLUMN "stopped" TEXT GENERATED ALWAYS AS (nullif(nullif("status", 'pending'), 'delivered')) STORED;

DROP INDEX "webhook_deliveries_due_idx", "webhook_deliveries_head_idx", "webhook_deliveries_unsent_idx", "webhook_deliveries_unhappy_idx";
-- What has a time, for a destination without an order and for one with.
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries" ("tenant_id", "destination_id", "next_attempt_at", "id") WHERE "next_attempt_at" IS NOT NULL;
CREATE INDEX "webhook_deliveries_head_idx" ON "webhook_deliveries" ("tenant_id", "destination_id", "id") WHERE "next_attempt_at" IS NOT NULL;
-- What can be recovered.
CREATE INDEX "webhook_deliveries_unsent_idx" ON "webhook_deliveries" ("tenant_id", "destination_id", "id") WHERE "stopped" IS NOT NULL;
CREATE INDEX "webhook_deliveries_unhappy_idx" ON "webhook_deliveries" ("tenant_id", "stopped", "id") WHERE "stopped" IS NOT NULL;

-- Ids are unique over all tenants, and nothing reads these in a tenant's order.
ALTER TABLE "webhook_payloads" DROP CONSTRAINT "webhook_payloads_pkey";
ALTER TABLE "webhook_payloads" ADD CONSTRAINT "webhook_payloads_pkey" PRIMARY KEY ("id");
ALTER TABLE "webhook_attempts" DROP CONSTRAINT "webhook_attempts_pkey";
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("delivery_id", "try");

-- As before, with room for the outcome of each delivery in its page.
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
      SELECT coalesce(pg_sequence_last_value(entry.sequence::regclass), 0) / span AS p
    ) AS current
    LOOP
      IF to_regclass(format('%I', entry.name || '_p' || part)) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)',
          entry.name || '_p' || part, entry.name, part * span, (part + 1) * span);
        IF entry.fill < 100 THEN
          -- A row is inserted once and updated a few times: leave room, and look often.
          EXECUTE format('ALTER TABLE %I SET (fillfactor = %s, autovacuum_vacuum_scale_factor = 0.05)', entry.name || '_p' || part, entry.fill);
        END IF;
        made := made + 1;
      END IF;
    END LOOP;
  END LOOP;
  RETURN made;
END $$;
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'webhook_deliveries'::regclass LOOP
    EXECUTE format('ALTER TABLE %s SET (fillfactor = 50)', name);
  END LOOP;
END $$;
