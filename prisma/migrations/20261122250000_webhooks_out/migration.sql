-- Where a tenant's events are sent.
CREATE TABLE "webhook_destinations" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "topics" TEXT[] NOT NULL,
    "signed" BOOLEAN NOT NULL DEFAULT false,
    "secret_ref" TEXT,
    "sealed" BYTEA,
    "key_version" INTEGER,
    "header_names" TEXT[] NOT NULL DEFAULT '{}',
    "previous_secret_expires_at" TIMESTAMPTZ(3),
    "filter" TEXT,
    "rate_per_second" INTEGER,
    "concurrency" INTEGER NOT NULL DEFAULT 20,
    "ordered" BOOLEAN NOT NULL DEFAULT false,
    "status" TEXT NOT NULL DEFAULT 'enabled',
    "disabled_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_destinations_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "webhook_destinations_status_check" CHECK ("status" IN ('enabled', 'disabled') AND ("status" = 'disabled') = ("disabled_reason" IS NOT NULL)),
    CONSTRAINT "webhook_destinations_reason_check" CHECK ("disabled_reason" IN ('gone', 'failing', 'manual')),
    CONSTRAINT "webhook_destinations_secret_check" CHECK (NOT ("signed" AND "secret_ref" IS NOT NULL) AND ("sealed" IS NULL) = ("key_version" IS NULL))
);

-- Who sends to a destination now, and when there is something to send again. Kept apart from the destination, whose rows change seldom.
CREATE TABLE "webhook_queues" (
    "tenant_id" TEXT NOT NULL,
    "destination_id" BIGINT NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "owner" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "warned_at" TIMESTAMPTZ(3),
    "problem" TEXT,

    CONSTRAINT "webhook_queues_pkey" PRIMARY KEY ("tenant_id", "destination_id")
);
ALTER TABLE "webhook_queues" SET (fillfactor = 70);
CREATE INDEX "webhook_queues_due_idx" ON "webhook_queues" ("due_at") WHERE "due_at" IS NOT NULL;
CREATE INDEX "webhook_queues_failing_idx" ON "webhook_queues" ("failing_since") WHERE "failing_since" IS NOT NULL;
ALTER TABLE "webhook_queues" ADD CONSTRAINT "webhook_queues_tenant_id_destination_id_fkey" FOREIGN KEY ("tenant_id", "destination_id")
    REFERENCES "webhook_destinations"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The bytes that are sent, once for all destinations of an event.
CREATE TABLE "webhook_payloads" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "event_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_payloads_pkey" PRIMARY KEY ("tenant_id", "id")
) PARTITION BY RANGE ("id");
CREATE INDEX "webhook_payloads_tenant_id_event_id_idx" ON "webhook_payloads" ("tenant_id", "event_id");
CREATE INDEX "webhook_payloads_tenant_id_topic_id_idx" ON "webhook_payloads" ("tenant_id", "topic", "id");
CREATE INDEX "webhook_payloads_created_at_idx" ON "webhook_payloads" USING brin ("created_at") WITH (autosummarize = on);

-- One for each destination and event.
CREATE TABLE "webhook_deliveries" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "destination_id" BIGINT NOT NULL,
    "payload_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL,
    "tries" SMALLINT NOT NULL DEFAULT 0,
    "tries_before" SMALLINT NOT NULL DEFAULT 0,
    "once" BOOLEAN NOT NULL DEFAULT false,
    "next_attempt_at" TIMESTAMPTZ(3),
    "reason" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "webhook_deliveries_status_check" CHECK ("status" IN ('pending', 'delivered', 'failed', 'held') AND ("status" = 'pending') = ("next_attempt_at" IS NOT NULL))
) PARTITION BY RANGE ("id");
CREATE INDEX "webhook_deliveries_tenant_id_destination_id_id_idx" ON "webhook_deliveries" ("tenant_id", "destination_id", "id");
CREATE INDEX "webhook_deliveries_tenant_id_payload_id_idx" ON "webhook_deliveries" ("tenant_id", "payload_id");
-- What is sent next, to a destination without an order and to one with.
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries" ("tenant_id", "destination_id", "next_attempt_at", "id") WHERE "status" = 'pending';
CREATE INDEX "webhook_deliveries_head_idx" ON "webhook_deliveries" ("tenant_id", "destination_id", "id") WHERE "status" = 'pending';
-- What can be recovered.
CREATE INDEX "webhook_deliveries_unsent_idx" ON "webhook_deliveries" ("tenant_id", "destination_id", "id") WHERE "status" IN ('failed', 'held');
CREATE INDEX "webhook_deliveries_unhappy_idx" ON "webhook_deliveries" ("tenant_id", "status", "id") WHERE "status" IN ('failed', 'held');
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries" USING brin ("created_at") WITH (autosummarize = on);

CREATE TABLE "webhook_attempts" (
    "tenant_id" TEXT NOT NULL,
    "delivery_id" BIGINT NOT NULL,
    "try" SMALLINT NOT NULL,
    "status" TEXT NOT NULL,
    "http_code" INTEGER,
    "error" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "response" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("tenant_id", "delivery_id", "try"),
    CONSTRAINT "webhook_attempts_status_check" CHECK ("status" IN ('delivered', 'failed'))
) PARTITION BY RANGE ("delivery_id");

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['webhook_destinations', 'webhook_queues', 'webhook_payloads', 'webhook_deliveries', 'webhook_attempts'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY system ON %I TO causeway_system USING (true) WITH CHECK (true)', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['webhook_payloads', 'webhook_deliveries'] LOOP
    EXECUTE format('CREATE POLICY upkeep ON %I FOR SELECT TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON "webhook_destinations", "webhook_queues" TO causeway_app;
GRANT SELECT, INSERT ON "webhook_payloads" TO causeway_app;
GRANT SELECT, INSERT, UPDATE ON "webhook_deliveries" TO causeway_app;
GRANT SELECT ON "webhook_attempts" TO causeway_app;
GRANT USAGE ON SEQUENCE "webhook_destinations_id_seq", "webhook_payloads_id_seq", "webhook_deliveries_id_seq" TO causeway_app;
-- The relay makes deliveries, and workers send them and write what came of it.
GRANT SELECT ON "webhook_destinations" TO causeway_system;
GRANT SELECT, UPDATE ON "webhook_queues" TO causeway_system;
GRANT SELECT, INSERT, DELETE ON "webhook_payloads", "webhook_attempts" TO causeway_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON "webhook_deliveries" TO causeway_system;
GRANT USAGE, SELECT ON SEQUENCE "webhook_payloads_id_seq", "webhook_deliveries_id_seq" TO causeway_system;

-- As before, with the tables of webhooks.
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
    SELECT t.name, t.sequence FROM (VALUES
      ('runs', 'runs_id_seq'), ('run_payloads', 'runs_id_seq'), ('run_results', 'runs_id_seq'),
      ('steps', 'runs_id_seq'), ('run_log_lines', 'runs_id_seq'), ('audit_entries', 'audit_entries_id_seq'),
      ('webhook_payloads', 'webhook_payloads_id_seq'), ('webhook_deliveries', 'webhook_deliveries_id_seq'),
      ('webhook_attempts', 'webhook_deliveries_id_seq')
    ) AS t(name, sequence)
  LOOP
    FOR part IN SELECT generate_series(p, p + 1) FROM (
      SELECT coalesce(pg_sequence_last_value(entry.sequence::regclass), 0) / span AS p
    ) AS current
    LOOP
      IF to_regclass(format('%I', entry.name || '_p' || part)) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)',
          entry.name || '_p' || part, entry.name, part * span, (part + 1) * span);
        IF entry.name IN ('runs', 'webhook_deliveries') THEN
          -- A row is inserted once and updated a few times: leave room, and look often.
          EXECUTE format('ALTER TABLE %I SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)', entry.name || '_p' || part);
        END IF;
        made := made + 1;
      END IF;
    END LOOP;
  END LOOP;
  RETURN made;
END $$;
SELECT "ensure_partitions"();

-- Drops a partition whose rows are all older than the log is kept, attempts with their deliveries, and answers whether it did. The
-- one that is being filled and the one before it, which may still have writers, stay. Payloads are kept a day longer than their deliveries.
CREATE FUNCTION "drop_passed_webhooks"("family" text, "part" bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '100ms' SET enable_seqscan = off AS $$
DECLARE
  span CONSTANT bigint := 5000000;
  days CONSTANT integer := CASE family WHEN 'webhook_payloads' THEN 31 ELSE 30 END;
  name text;
  families text[];
  young boolean;
BEGIN
  IF family NOT IN ('webhook_deliveries', 'webhook_payloads') OR to_regclass(quote_ident(family || '_p' || part)) IS NULL THEN RETURN false; END IF;
  IF part + 1 >= coalesce(pg_sequence_last_value((family || '_id_seq')::regclass), 0) / span THEN RETURN false; END IF;
  families := CASE family WHEN 'webhook_deliveries' THEN ARRAY['webhook_deliveries', 'webhook_attempts'] ELSE ARRAY[family] END;
  FOREACH name IN ARRAY families LOOP
    EXECUTE format('LOCK TABLE ONLY %I, ONLY %I IN ACCESS EXCLUSIVE MODE', name, name || '_p' || part);
  END LOOP;
  EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE id >= $1 AND id < $2 AND created_at >= now() - make_interval(days => $3))', family)
    INTO young USING part * span, (part + 1) * span, days;
  IF young THEN RETURN false; END IF;
  FOREACH name IN ARRAY families LOOP
    EXECUTE format('DROP TABLE %I', name || '_p' || part);
  END LOOP;
  RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION "drop_passed_webhooks"(text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "drop_passed_webhooks"(text, bigint) TO causeway_system;
