-- Credentials, tenant secrets, state, schedules, limits and retention: tables as prisma/schema describes them. Policies,
-- grants and what its language cannot say follow below.

-- AlterTable
ALTER TABLE "runs" ADD COLUMN "takeovers" SMALLINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "workflows" ADD COLUMN "revision_author" BIGINT,
ADD COLUMN "revision_created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN "revision_note" TEXT;

-- CreateTable
CREATE TABLE "credentials" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "credential_type_slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "public_config" JSONB NOT NULL,
    "config" BYTEA NOT NULL,
    "config_key_version" INTEGER NOT NULL,
    "grant" BYTEA,
    "grant_key_version" INTEGER,
    "grant_version" INTEGER NOT NULL DEFAULT 0,
    "refresh_at" TIMESTAMPTZ(3),
    "refresh_lease" UUID,
    "refresh_lease_until" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "expiry_noticed_days" INTEGER,
    "last_test_at" TIMESTAMPTZ(3),
    "last_test_ok" BOOLEAN,
    "last_test_message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credentials_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "credential_uses" (
    "tenant_id" TEXT NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "node_id" TEXT NOT NULL,
    "field" TEXT NOT NULL,
    "credential_id" BIGINT NOT NULL,

    CONSTRAINT "credential_uses_pkey" PRIMARY KEY ("tenant_id","workflow_id","node_id","field")
);

-- CreateTable
CREATE TABLE "oauth_states" (
    "state_hash" BYTEA NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "org_id" TEXT NOT NULL,
    "credential_id" BIGINT NOT NULL,
    "user_id" BIGINT,
    "sub" TEXT,
    "email" TEXT,
    "verifier" BYTEA NOT NULL,
    "key_version" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oauth_states_pkey" PRIMARY KEY ("state_hash")
);

-- CreateTable
CREATE TABLE "data_keys" (
    "tenant_id" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "kek_id" TEXT NOT NULL,
    "wrapped" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "data_keys_pkey" PRIMARY KEY ("tenant_id","purpose","version")
);

-- CreateTable
CREATE UNLOGGED TABLE "rate_windows" (
    "subject" TEXT NOT NULL,
    "tenth" BIGINT NOT NULL,
    "seconds" INTEGER[],
    "tenths" INTEGER[],

    CONSTRAINT "rate_windows_pkey" PRIMARY KEY ("subject")
);

-- CreateTable
CREATE TABLE "retention_settings" (
    "tenant_id" TEXT NOT NULL,
    "run_days" INTEGER,
    "step_days" INTEGER,
    "log_days" INTEGER,
    "audit_days" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "retention_settings_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "schedules" (
    "tenant_id" TEXT NOT NULL,
    "trigger_id" BIGINT NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "cron" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "misfire" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "next_fire_at" TIMESTAMPTZ(3),
    "last_fired_at" TIMESTAMPTZ(3),
    "last_run_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "schedules_pkey" PRIMARY KEY ("tenant_id","trigger_id")
);

-- CreateTable
CREATE TABLE "schedule_ticks" (
    "tenant_id" TEXT NOT NULL,
    "trigger_id" BIGINT NOT NULL,
    "fire_at" TIMESTAMPTZ(3) NOT NULL,
    "outcome" TEXT NOT NULL,
    "skipped_until" TIMESTAMPTZ(3),
    "run_id" BIGINT,
    "dead_letter_id" BIGINT,
    "handled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "schedule_ticks_pkey" PRIMARY KEY ("tenant_id","trigger_id","fire_at")
);

-- CreateTable
CREATE TABLE "tenant_secrets" (
    "tenant_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" BYTEA NOT NULL,
    "key_version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenant_secrets_pkey" PRIMARY KEY ("tenant_id","key")
);

-- CreateTable
CREATE TABLE "state_entries" (
    "tenant_id" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "value" JSON NOT NULL,
    "size" INTEGER NOT NULL,
    "version" BIGINT NOT NULL DEFAULT 1,
    "writer" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "state_entries_pkey" PRIMARY KEY ("tenant_id","namespace","key")
);

-- CreateTable
CREATE TABLE "state_namespaces" (
    "tenant_id" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "entries" BIGINT NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "state_namespaces_pkey" PRIMARY KEY ("tenant_id","namespace")
);

-- CreateIndex
CREATE INDEX "credentials_tenant_id_credential_type_slug_id_idx" ON "credentials"("tenant_id", "credential_type_slug", "id");

-- CreateIndex
CREATE UNIQUE INDEX "credentials_tenant_id_name_key" ON "credentials"("tenant_id", "name");

-- CreateIndex
CREATE INDEX "credential_uses_tenant_id_credential_id_idx" ON "credential_uses"("tenant_id", "credential_id");

-- CreateIndex
CREATE INDEX "oauth_states_expires_at_idx" ON "oauth_states"("expires_at");

-- CreateIndex
CREATE INDEX "schedule_ticks_handled_at_idx" ON "schedule_ticks"("handled_at");

-- CreateIndex
CREATE INDEX "audit_entries_tenant_id_resource_type_action_id_idx" ON "audit_entries"("tenant_id", "resource_type", "action", "id");

-- CreateIndex
CREATE INDEX "audit_entries_resource_type_action_id_idx" ON "audit_entries"("resource_type", "action", "id");

-- AddForeignKey
ALTER TABLE "credential_uses" ADD CONSTRAINT "credential_uses_tenant_id_workflow_id_fkey" FOREIGN KEY ("tenant_id", "workflow_id") REFERENCES "workflows"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_tenant_id_trigger_id_fkey" FOREIGN KEY ("tenant_id", "trigger_id") REFERENCES "triggers"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "state_entries" ADD CONSTRAINT "state_entries_tenant_id_namespace_fkey" FOREIGN KEY ("tenant_id", "namespace") REFERENCES "state_namespaces"("tenant_id", "namespace") ON DELETE RESTRICT ON UPDATE CASCADE;


ALTER TABLE "credentials" ADD CONSTRAINT "credentials_status_check" CHECK ("status" IN ('active', 'pending', 'expired', 'revoked'));
ALTER TABLE "data_keys" ADD CONSTRAINT "data_keys_purpose_check" CHECK ("purpose" IN ('credentials', 'secrets'));
ALTER TABLE "data_keys" ADD CONSTRAINT "data_keys_retired_check" CHECK (("wrapped" IS NULL) = ("retired_at" IS NOT NULL));
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_misfire_check" CHECK ("misfire" IN ('skip', 'fire_once', 'catch_up'));
ALTER TABLE "schedule_ticks" ADD CONSTRAINT "schedule_ticks_outcome_check" CHECK ("outcome" IN ('run', 'dead_letter', 'skipped'));

-- Looked for across tenants: what is due, what runs out.
CREATE INDEX "schedules_due_idx" ON "schedules" ("next_fire_at") WHERE "next_fire_at" IS NOT NULL;
CREATE INDEX "schedules_unplanned_idx" ON "schedules" ("tenant_id", "trigger_id") WHERE "active" AND "next_fire_at" IS NULL;
CREATE INDEX "credentials_expiry_idx" ON "credentials" ("expires_at") WHERE "expires_at" IS NOT NULL;
CREATE INDEX "state_entries_expiry_idx" ON "state_entries" ("expires_at") WHERE "expires_at" IS NOT NULL;

-- A namespace's sums move in the statement that moves its entries, whoever writes. The caps are held here once more, as two
-- writers that both still saw room must not both have it.
CREATE FUNCTION "sum_state_entries"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE "state_namespaces" n SET "entries" = n."entries" + d.entries, "bytes" = n."bytes" + d.bytes, "updated_at" = now()
    FROM (SELECT "tenant_id", "namespace", count(*) AS entries, sum("size") AS bytes FROM after_it GROUP BY 1, 2) d
    WHERE n."tenant_id" = d."tenant_id" AND n."namespace" = d."namespace";
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE "state_namespaces" n SET "entries" = n."entries" - d.entries, "bytes" = n."bytes" - d.bytes, "updated_at" = now()
    FROM (SELECT "tenant_id", "namespace", count(*) AS entries, sum("size") AS bytes FROM before_it GROUP BY 1, 2) d
    WHERE n."tenant_id" = d."tenant_id" AND n."namespace" = d."namespace";
  ELSE
    -- Writers of one namespace wait for each other here. Those that change no size need not: the time may be a second old.
    UPDATE "state_namespaces" n SET "bytes" = n."bytes" + d.bytes, "updated_at" = now()
    FROM (
      SELECT "tenant_id", "namespace", sum(bytes) AS bytes FROM (
        SELECT "tenant_id", "namespace", "size" AS bytes FROM after_it
        UNION ALL SELECT "tenant_id", "namespace", -"size" FROM before_it
      ) both_of GROUP BY 1, 2
    ) d
    WHERE n."tenant_id" = d."tenant_id" AND n."namespace" = d."namespace"
      AND (d.bytes <> 0 OR n."updated_at" < now() - interval '1 second');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "state_entries_inserted" AFTER INSERT ON "state_entries" REFERENCING NEW TABLE AS after_it
  FOR EACH STATEMENT EXECUTE FUNCTION "sum_state_entries"();
CREATE TRIGGER "state_entries_updated" AFTER UPDATE ON "state_entries" REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it
  FOR EACH STATEMENT EXECUTE FUNCTION "sum_state_entries"();
CREATE TRIGGER "state_entries_deleted" AFTER DELETE ON "state_entries" REFERENCING OLD TABLE AS before_it
  FOR EACH STATEMENT EXECUTE FUNCTION "sum_state_entries"();
ALTER TABLE "state_namespaces" ADD CONSTRAINT "state_namespaces_entries_check" CHECK ("entries" BETWEEN 0 AND 100000);
ALTER TABLE "state_namespaces" ADD CONSTRAINT "state_namespaces_bytes_check" CHECK ("bytes" BETWEEN 0 AND 67108864);

-- Who acted: the system itself needs no finding.
CREATE INDEX "audit_entries_sub_idx" ON "audit_entries" ("actor_sub", "tenant_id", "resource_type", "action", "id")
  WHERE "actor_sub" IS NOT NULL;
CREATE INDEX "audit_entries_email_idx" ON "audit_entries" ("actor_email", "tenant_id", "resource_type", "action", "id")
  WHERE "actor_email" IS NOT NULL;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'data_keys', 'credentials', 'credential_uses', 'tenant_secrets', 'state_entries', 'state_namespaces', 'schedules',
    'schedule_ticks', 'retention_settings'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY system ON %I TO causeway_system USING (true) WITH CHECK (true)', name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON
  "data_keys", "credentials", "credential_uses", "tenant_secrets", "state_entries", "state_namespaces", "schedules",
  "schedule_ticks", "retention_settings", "rate_windows"
  TO causeway_app;
-- An authorisation's callback is anonymous: its state is what names the tenant.
GRANT SELECT, INSERT, UPDATE, DELETE ON "oauth_states" TO causeway_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON "schedules", "schedule_ticks", "state_entries", "state_namespaces", "rate_windows"
  TO causeway_system;
GRANT SELECT ON "retention_settings" TO causeway_system;
GRANT SELECT ("state_hash", "expires_at"), DELETE ON "oauth_states" TO causeway_system;
-- What stands in every tenant's view of its secrets, and never the secrets.
GRANT SELECT ("tenant_id", "purpose", "version", "kek_id", "retired_at") ON "data_keys" TO causeway_system;
GRANT SELECT ("tenant_id", "id", "credential_type_slug", "name", "status", "expires_at", "expiry_noticed_days") ON "credentials"
  TO causeway_system;
GRANT UPDATE ("expiry_noticed_days") ON "credentials" TO causeway_system;
GRANT USAGE, SELECT ON SEQUENCE "credentials_id_seq" TO causeway_app;

-- A row is rewritten at every request; half-empty pages keep its new version beside the old one, with no index to touch.
ALTER TABLE "rate_windows" SET (fillfactor = 50);

-- Takes requests of many subjects: `costs` are theirs, in the order they came. Answers for each the milliseconds to wait, 0 for
-- what is admitted and counted; what is refused is not counted. A limit of 0 is none. `clock` stands in for the time in tests.
CREATE FUNCTION "take_rates"(
  subjects text[], costs integer[], per_second integer, per_minute integer, clock timestamptz DEFAULT NULL
) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
  no_seconds CONSTANT integer[] := array_fill(0, ARRAY[61]);
  no_tenths CONSTANT integer[] := array_fill(0, ARRAY[11]);
  waits integer[] := array_fill(0, ARRAY[cardinality(subjects)]);
  asked record;
  used rate_windows;
  at_ms bigint;
  tenth bigint;
  shift bigint;
  in_minute integer;
  in_second integer;
  cost integer;
  wait bigint;
  excess integer;
  refused_cost integer;
  refused_wait bigint;
  admitted boolean;
BEGIN
  -- Everybody locks in one order, so that no two calls wait for each other.
  FOR asked IN
    SELECT u.subject, array_agg(u.cost ORDER BY u.place) AS costs, array_agg(u.place ORDER BY u.place) AS places
    FROM unnest(subjects, costs) WITH ORDINALITY AS u(subject, cost, place)
    GROUP BY u.subject ORDER BY u.subject COLLATE "C"
  LOOP
    LOOP
      SELECT * INTO used FROM rate_windows r WHERE r.subject = asked.subject FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO rate_windows (subject, tenth, seconds, tenths) VALUES (asked.subject, 0, no_seconds, no_tenths)
      ON CONFLICT DO NOTHING;
    END LOOP;
    -- Only now, as waiting for the row takes time.
    at_ms := floor(extract(epoch FROM coalesce(clock, clock_timestamp())) * 1000);
    -- Time does not go back within a row, unless somebody has set the clock back by more than a minute.
    IF used.tenth - at_ms / 100 BETWEEN 1 AND 600 THEN at_ms := used.tenth * 100; END IF;
    tenth := at_ms / 100;
    shift := tenth / 10 - used.tenth / 10;
    used.seconds := CASE WHEN shift BETWEEN 0 AND 60
      THEN (array_fill(0, ARRAY[shift::integer]) || used.seconds)[1:61] ELSE no_seconds END;
    shift := tenth - used.tenth;
    used.tenths := CASE WHEN shift BETWEEN 0 AND 10
      THEN (array_fill(0, ARRAY[shift::integer]) || used.tenths)[1:11] ELSE no_tenths END;
    used.tenth := tenth;
    in_minute := (SELECT sum(n) FROM unnest(used.seconds) AS n);
    in_second := (SELECT sum(n) FROM unnest(used.tenths) AS n);
    admitted := false;
    refused_cost := NULL;

    FOR i IN 1 .. cardinality(asked.costs) LOOP
      -- What costs more than a whole window passes when the window is empty.
      cost := least(asked.costs[i], nullif(per_second, 0), nullif(per_minute, 0));
      IF cost = refused_cost THEN
        waits[asked.places[i]] := refused_wait;
        CONTINUE;
      END IF;
      wait := 0;
      -- The bucket that counts a moment may leave only when all of it is a whole window ago: hence one more than fit.
      IF per_second > 0 AND in_second + cost > per_second THEN
        excess := in_second + cost - per_second;
        FOR k IN REVERSE 11 .. 1 LOOP
          excess := excess - used.tenths[k];
          IF excess <= 0 THEN wait := (tenth - k + 12) * 100 - at_ms; EXIT; END IF;
        END LOOP;
      END IF;
      IF per_minute > 0 AND in_minute + cost > per_minute THEN
        excess := in_minute + cost - per_minute;
        FOR k IN REVERSE 61 .. 1 LOOP
          excess := excess - used.seconds[k];
          IF excess <= 0 THEN wait := greatest(wait, (tenth / 10 - k + 62) * 1000 - at_ms); EXIT; END IF;
        END LOOP;
      END IF;
      IF wait > 0 THEN
        refused_cost := cost;
        refused_wait := wait;
        waits[asked.places[i]] := wait;
        CONTINUE;
      END IF;
      admitted := true;
      refused_cost := NULL;
      in_minute := in_minute + cost;
      in_second := in_second + cost;
      used.seconds[1] := used.seconds[1] + cost;
      used.tenths[1] := used.tenths[1] + cost;
    END LOOP;

    IF admitted THEN
      UPDATE rate_windows r SET tenth = used.tenth, seconds = used.seconds, tenths = used.tenths
      WHERE r.subject = asked.subject;
    END IF;
  END LOOP;
  RETURN waits;
END $$;

-- Retention. What it looks for: deleted workflows, workflows that keep their runs shorter than the tenant does, and the newest
-- end of an old partition. The last is a summary of pages, so that ending a run pays next to nothing for it.
CREATE INDEX "workflows_deleted_idx" ON "workflows" ("tenant_id", "id") WHERE "deleted_at" IS NOT NULL;
CREATE INDEX "workflows_retention_idx" ON "workflows" ("tenant_id", "id") WHERE "blob" #>> '{settings,retention_days}' IS NOT NULL;
CREATE INDEX "runs_completed_idx" ON "runs" USING brin ("completed_at") WITH (autosummarize = on) WHERE "completed_at" IS NOT NULL;

-- The functions below act as the owner of the tables, who is held to row-level security like anybody.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['retention_settings', 'runs', 'audit_entries'] LOOP
    EXECUTE format('CREATE POLICY upkeep ON %I FOR SELECT TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;
CREATE POLICY "purge" ON "audit_entries" FOR DELETE TO CURRENT_USER USING (true);

-- Days that a tenant keeps its runs or its audit log; null is for ever. A tenant without settings has the defaults.
CREATE FUNCTION "kept_days"("tenant" text, "kind" text) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN s.tenant_id IS NULL THEN CASE kind WHEN 'audit' THEN 365 ELSE 90 END
    WHEN kind = 'audit' THEN s.audit_days ELSE s.run_days END
  FROM (SELECT tenant AS id) AS given LEFT JOIN retention_settings s ON s.tenant_id = given.id
$$;

-- The only way that an audit entry goes: from the old end, never one that its tenant still keeps. Answers how many went.
CREATE FUNCTION "purge_audit"("tenant" text, "before" timestamptz, "most" integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  days CONSTANT integer := kept_days(tenant, 'audit');
  purged integer;
BEGIN
  IF tenant IS NULL OR before IS NULL OR most IS NULL OR most NOT BETWEEN 1 AND 5000 THEN
    RAISE EXCEPTION 'Say which tenant, before when, and how many: 1 to 5000.' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF days IS NULL OR before > now() - make_interval(days => days) THEN
    RAISE EXCEPTION 'The tenant keeps these audit entries; its retention settings say how long.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  -- Oldest first and no further: ids grow with time, so the first that is too young ends it.
  DELETE FROM audit_entries WHERE tenant_id = tenant AND id = ANY(ARRAY(
    SELECT oldest.id FROM (
      SELECT e.id, e.created_at FROM audit_entries e WHERE e.tenant_id = tenant ORDER BY e.id LIMIT most
    ) AS oldest WHERE oldest.created_at < before
  ));
  GET DIAGNOSTICS purged = ROW_COUNT;
  RETURN purged;
END $$;

-- Whether every tenant that has rows in a partition may lose them all. `part` counts from 0, five million ids each; the one
-- that is being filled and the one before it, which may still have writers, never have passed.
CREATE FUNCTION "partition_passed"("family" text, "part" bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = on AS $$
DECLARE
  span CONSTANT bigint := 5000000;
  name CONSTANT text := family || '_p' || part;
  kind CONSTANT text := CASE family WHEN 'audit_entries' THEN 'audit' ELSE 'runs' END;
  kept record;
  found boolean;
BEGIN
  IF family NOT IN ('runs', 'audit_entries') OR to_regclass(quote_ident(name)) IS NULL THEN RETURN false; END IF;
  IF part + 1 >= coalesce(pg_sequence_last_value((family || '_id_seq')::regclass), 0) / span THEN RETURN false; END IF;
  -- The tenants, by leaps over the primary key, each with its newest row.
  EXECUTE format(
    'WITH RECURSIVE t AS (
       (SELECT tenant_id FROM %1$I ORDER BY tenant_id LIMIT 1) UNION ALL
       SELECT n.tenant_id FROM t CROSS JOIN LATERAL (SELECT p.tenant_id FROM %1$I p WHERE p.tenant_id > t.tenant_id ORDER BY p.tenant_id LIMIT 1) n
     )
     SELECT coalesce(bool_or(kept.days IS NULL), false) AS forever, max(kept.days) AS days,
       coalesce(bool_or(newest.created_at >= now() - make_interval(days => kept.days)), false) AS young
     FROM t CROSS JOIN LATERAL (SELECT kept_days(t.tenant_id, %2$L) AS days) AS kept
     CROSS JOIN LATERAL (SELECT p.created_at FROM %1$I p WHERE p.tenant_id = t.tenant_id ORDER BY p.id DESC LIMIT 1) AS newest',
    name, kind) INTO kept;
  IF kept.forever OR kept.young THEN RETURN false; END IF;
  IF family = 'audit_entries' OR kept.days IS NULL THEN RETURN true; END IF;
  -- A run counts its days from its end.
  EXECUTE format(
    'SELECT EXISTS (SELECT FROM %1$I WHERE status IN (''queued'', ''running'', ''waiting''))
       OR EXISTS (SELECT FROM %1$I WHERE completed_at >= now() - make_interval(days => $1))', name) INTO found USING kept.days;
  IF found THEN RETURN false; END IF;
  -- Nor may anything live have a part in it: as one that a run of it waits for, or that waits for one of its own.
  RETURN NOT EXISTS (
    SELECT FROM runs live WHERE live.status IN ('queued', 'running', 'waiting') AND (
      live.parent_run_id >= part * span AND live.parent_run_id < (part + 1) * span
      OR live.id < (part + 1) * span
        AND EXISTS (SELECT FROM runs child WHERE child.tenant_id = live.tenant_id AND child.parent_run_id = live.id)
    )
  );
END $$;

-- Drops a partition that has passed, of runs with all that belongs to them or of the audit log, and answers whether it did.
-- Whoever else wants the tables waits no longer than the lock's time; where it is not to be had, lock_not_available.
CREATE FUNCTION "drop_passed_partition"("family" text, "part" bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
  name text;
  families text[];
BEGIN
  IF NOT partition_passed(family, part) THEN RETURN false; END IF;
  families := CASE family WHEN 'runs' THEN ARRAY['runs', 'run_payloads', 'run_results', 'steps', 'run_log_lines'] ELSE ARRAY[family] END;
  FOREACH name IN ARRAY families LOOP
    EXECUTE format('LOCK TABLE ONLY %I, ONLY %I IN ACCESS EXCLUSIVE MODE', name, name || '_p' || part);
  END LOOP;
  -- Once more, now that nothing can change: a run may have been retried, or a tenant have asked to keep more.
  IF NOT partition_passed(family, part) THEN RETURN false; END IF;
  FOREACH name IN ARRAY families LOOP
    EXECUTE format('DROP TABLE %I', name || '_p' || part);
  END LOOP;
  RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION "kept_days"(text, text), "purge_audit"(text, timestamptz, integer), "partition_passed"(text, bigint),
  "drop_passed_partition"(text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "purge_audit"(text, timestamptz, integer), "partition_passed"(text, bigint),
  "drop_passed_partition"(text, bigint) TO causeway_system;

-- Schedule triggers that were there before had no clock; the scheduler plans their next tick as it first sees them.
SET ROLE causeway_system;
INSERT INTO "schedules" ("tenant_id", "trigger_id", "workflow_id", "cron", "timezone", "misfire", "active")
SELECT t."tenant_id", t."id", t."workflow_id", t."config"->>'cron', t."config"->>'timezone', t."config"->>'misfire',
  t."active" AND w."active"
FROM "triggers" t JOIN "workflows" w ON w."tenant_id" = t."tenant_id" AND w."id" = t."workflow_id"
WHERE t."type" = 'schedule' AND w."deleted_at" IS NULL;
RESET ROLE;

-- An archived revision told who replaced it, and when; that is who made the next one. Who made the first is not known.
SET ROLE causeway_system;
UPDATE "workflows" w SET
  "revision_author" = (SELECT r."created_by" FROM "workflow_revisions" r
    WHERE r."tenant_id" = w."tenant_id" AND r."workflow_id" = w."id" AND r."revision" = w."revision" - 1),
  "revision_created_at" = coalesce((SELECT r."created_at" FROM "workflow_revisions" r
    WHERE r."tenant_id" = w."tenant_id" AND r."workflow_id" = w."id" AND r."revision" = w."revision" - 1), w."created_at");
UPDATE "workflow_revisions" r SET "created_by" = earlier."created_by", "created_at" = coalesce(earlier."created_at", w."created_at")
FROM "workflows" w, "workflow_revisions" own
LEFT JOIN "workflow_revisions" earlier ON earlier."tenant_id" = own."tenant_id" AND earlier."workflow_id" = own."workflow_id"
  AND earlier."revision" = own."revision" - 1
WHERE own."tenant_id" = r."tenant_id" AND own."workflow_id" = r."workflow_id" AND own."revision" = r."revision"
  AND w."tenant_id" = r."tenant_id" AND w."id" = r."workflow_id";
RESET ROLE;
