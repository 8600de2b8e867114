-- How many requests with a credential its API takes, where somebody has said so.
ALTER TABLE "credentials" ADD COLUMN "rate_requests" INTEGER, ADD COLUMN "rate_period" TEXT, ADD COLUMN "rate_burst" INTEGER;
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_rate_check" CHECK (
  ("rate_requests" IS NULL AND "rate_period" IS NULL AND "rate_burst" IS NULL)
  OR ("rate_requests" BETWEEN 1 AND 1000000 AND "rate_period" IN ('second', 'minute', 'hour') AND "rate_burst" BETWEEN 1 AND 10000)
) NOT VALID;
GRANT SELECT ("rate_requests", "rate_period", "rate_burst") ON "credentials" TO causeway_system;

-- The schedule of a credential whose requests are limited. Times are in microseconds since 1970.
CREATE TABLE "credential_rates" (
    "tenant_id" TEXT NOT NULL,
    "credential_id" BIGINT NOT NULL,
    "next_at" BIGINT NOT NULL DEFAULT 0,
    "closed_until" TIMESTAMPTZ(3),
    "refusals" INTEGER NOT NULL DEFAULT 0,
    "served" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "credential_rates_pkey" PRIMARY KEY ("tenant_id", "credential_id")
);
-- A row is rewritten at every request, and no index names the columns that change.
ALTER TABLE "credential_rates" SET (fillfactor = 50);

-- The steps that wait for their turn.
CREATE TABLE "credential_waits" (
    "tenant_id" TEXT NOT NULL,
    "run_id" BIGINT NOT NULL,
    "path" TEXT NOT NULL,
    "credential_id" BIGINT NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "tag" BIGINT NOT NULL,
    "asked_at" TIMESTAMPTZ(6) NOT NULL,
    "in_place" BOOLEAN NOT NULL,
    "due_at" BIGINT,
    "next_at" BIGINT,

    CONSTRAINT "credential_waits_pkey" PRIMARY KEY ("tenant_id", "run_id", "path", "credential_id")
);
CREATE INDEX "credential_waits_order_idx" ON "credential_waits" ("tenant_id", "credential_id", "tag", "asked_at") WHERE "due_at" IS NULL;
CREATE INDEX "credential_waits_workflows_idx" ON "credential_waits" ("tenant_id", "credential_id", "workflow_id", "tag") WHERE "due_at" IS NULL;
CREATE INDEX "credential_waits_due_idx" ON "credential_waits" ("due_at") WHERE "due_at" IS NOT NULL;

ALTER TABLE "credential_rates" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "credential_rates" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "credential_rates" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "credential_rates" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT ON "credential_rates" TO causeway_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON "credential_rates" TO causeway_system;

ALTER TABLE "credential_waits" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "credential_waits" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "credential_waits" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "credential_waits" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT ON "credential_waits" TO causeway_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON "credential_waits" TO causeway_system;

-- The time between two requests with a credential, and by how much a burst may be ahead of its schedule, in microseconds. No row for a
-- credential that is gone or not active: its steps go on, and fail with the reason. Requests do not arrive as evenly as they are sent, so a
-- period is taken as 40 ms longer. A credential of which only an API's refusal is known sends 10 a second once it is open again.
CREATE FUNCTION "credential_pace"(tenant text, credential bigint, OUT step bigint, OUT slack bigint) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  SELECT p.step, p.step * (coalesce(c.rate_burst, 1) - 1) FROM credentials c CROSS JOIN LATERAL (SELECT coalesce(
    ceil((CASE c.rate_period WHEN 'second' THEN 1000000 WHEN 'minute' THEN 60000000 ELSE 3600000000 END + 40000) / c.rate_requests::numeric)::bigint, 100000) AS step) p
  WHERE c.tenant_id = tenant AND c.id = credential AND c.status = 'active'
$$;

-- Turns of steps, in the order they were asked for. A granted step may send its request in `wait_ms`, which is at most 1.2 s; another waits about
-- `wait_ms` in the queue of its credential, from which `grant_turns` takes it. A queue is in the order of tags: the next of a workflow is one more
-- than its last in the queue, or than the last tag that was served. So workflows take turns, however many steps of each wait (start-time fair
-- queueing). Who comes late for a turn, by 15 ms and by 1 % of the
-- time between two requests, has missed it and is the first of its queue again; if nobody was granted a turn since, it is given back. A step should send
-- nothing when it wakes more than `late_ms` after its turn. `clock` stands in for the time in tests.
CREATE FUNCTION "take_turns"(
  tenants text[], credentials bigint[], workflows bigint[], runs bigint[], paths text[], in_place boolean[], clock timestamptz DEFAULT NULL
) RETURNS TABLE ("place" integer, "granted" boolean, "wait_ms" double precision, "late_ms" double precision) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  horizon CONSTANT bigint := 1200000;
  late bigint;
  asked record;
  ask record;
  rate credential_rates;
  pace record;
  own credential_waits;
  now_at bigint;
  slot bigint;
  lanes bigint;
  is_queued boolean;
BEGIN
  -- Everybody locks in one order, so that no two calls wait for each other.
  FOR asked IN
    SELECT DISTINCT u.tenant_id COLLATE "C" AS tenant_id, u.credential_id FROM unnest(tenants, credentials) AS u(tenant_id, credential_id) ORDER BY 1, 2
  LOOP
    LOOP
      SELECT * INTO rate FROM credential_rates r WHERE r.tenant_id = asked.tenant_id AND r.credential_id = asked.credential_id FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO credential_rates (tenant_id, credential_id) VALUES (asked.tenant_id, asked.credential_id) ON CONFLICT DO NOTHING;
    END LOOP;
    -- Only now, as waiting for the row takes time.
    now_at := floor(extract(epoch FROM coalesce(clock, clock_timestamp())) * 1000000);
    SELECT * INTO pace FROM credential_pace(asked.tenant_id, asked.credential_id);
    lanes := NULL;
    late := greatest(15000, pace.step / 100);
    late_ms := greatest(20, pace.step / 100000.0);
    FOR ask IN
      SELECT u.* FROM unnest(tenants, credentials, workflows, runs, paths, in_place) WITH ORDINALITY
        AS u(tenant_id, credential_id, workflow_id, run_id, path, in_place, place)
      WHERE u.tenant_id = asked.tenant_id AND u.credential_id = asked.credential_id ORDER BY u.place
    LOOP
      SELECT * INTO own FROM credential_waits w
      WHERE w.tenant_id = ask.tenant_id AND w.run_id = ask.run_id AND w.path = ask.path AND w.credential_id = ask.credential_id;
      is_queued := FOUND;
      place := ask.place;
      IF pace.step IS NULL OR (is_queued AND own.due_at >= now_at - late) THEN
        IF is_queued THEN
          DELETE FROM credential_waits w
          WHERE w.tenant_id = ask.tenant_id AND w.run_id = ask.run_id AND w.path = ask.path AND w.credential_id = ask.credential_id;
        END IF;
        granted := true;
        wait_ms := CASE WHEN pace.step IS NULL THEN 0 ELSE greatest(own.due_at - now_at, 0) / 1000.0 END;
        RETURN NEXT;
        CONTINUE;
      END IF;
      IF NOT is_queued THEN
        own := (ask.tenant_id, ask.run_id, ask.path, ask.credential_id, ask.workflow_id, greatest(rate.served, (
          SELECT max(w.tag) FROM credential_waits w WHERE w.tenant_id = ask.tenant_id AND w.credential_id = ask.credential_id
            AND w.workflow_id = ask.workflow_id AND w.due_at IS NULL
        )) + 1, coalesce(clock, clock_timestamp()), ask.in_place, NULL, NULL);
      ELSIF own.next_at = rate.next_at THEN
        rate.next_at := rate.next_at - pace.step;
      END IF;
      slot := greatest(now_at, rate.next_at - pace.slack, floor(extract(epoch FROM rate.closed_until) * 1000000));
      granted := slot <= now_at + horizon AND NOT EXISTS (
        SELECT FROM credential_waits w WHERE w.tenant_id = ask.tenant_id AND w.credential_id = ask.credential_id AND w.due_at IS NULL
          AND (w.tag, w.asked_at) <= (own.tag, own.asked_at) AND (w.run_id, w.path) <> (own.run_id, own.path)
      );
      IF granted THEN
        rate.next_at := greatest(rate.next_at, slot) + pace.step;
        IF is_queued THEN
          rate.served := greatest(rate.served, own.tag);
          DELETE FROM credential_waits w
          WHERE w.tenant_id = ask.tenant_id AND w.run_id = ask.run_id AND w.path = ask.path AND w.credential_id = ask.credential_id;
        END IF;
        wait_ms := (slot - now_at) / 1000.0;
      ELSE
        INSERT INTO credential_waits SELECT own.* ON CONFLICT (tenant_id, run_id, path, credential_id)
          DO UPDATE SET due_at = NULL, next_at = NULL, in_place = ask.in_place WHERE credential_waits.due_at IS NOT NULL OR credential_waits.in_place <> ask.in_place;
        lanes := coalesce(lanes, (
          WITH RECURSIVE found(id, number) AS (
            SELECT min(w.workflow_id), 1 FROM credential_waits w WHERE w.tenant_id = ask.tenant_id AND w.credential_id = ask.credential_id AND w.due_at IS NULL
            UNION ALL
            SELECT (SELECT min(w.workflow_id) FROM credential_waits w WHERE w.tenant_id = ask.tenant_id AND w.credential_id = ask.credential_id
              AND w.due_at IS NULL AND w.workflow_id > found.id), number + 1 FROM found WHERE found.id IS NOT NULL AND number < 100
          ) SELECT count(id) FROM found
        ));
        wait_ms := (slot - now_at + greatest(own.tag - rate.served - 1, 0) * lanes * pace.step) / 1000.0;
      END IF;
      RETURN NEXT;
    END LOOP;
    UPDATE credential_rates r SET next_at = rate.next_at, served = rate.served
    WHERE r.tenant_id = asked.tenant_id AND r.credential_id = asked.credential_id AND (r.next_at, r.served) <> (rate.next_at, rate.served);
  END LOOP;
END $$;

-- Gives the turns of the next 1.2 s, except the first 0.25, to the first of each queue, and returns the runs to wake. A step whose run is still under way is passed over until
-- its run is suspended. Those of runs that have ended are deleted.
CREATE FUNCTION "grant_turns"(clock timestamptz DEFAULT NULL) RETURNS TABLE ("tenant_id" text, "run_id" bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  horizon CONSTANT bigint := 1200000;
  -- A run has so long to be claimed.
  lead CONSTANT bigint := 250000;
  rate credential_rates;
  pace record;
  next record;
  now_at bigint;
  slot bigint;
BEGIN
  FOR rate IN
    SELECT * FROM credential_rates r WHERE EXISTS (
      SELECT FROM credential_waits w WHERE w.tenant_id = r.tenant_id AND w.credential_id = r.credential_id AND w.due_at IS NULL
    ) ORDER BY r.tenant_id COLLATE "C", r.credential_id FOR UPDATE SKIP LOCKED
  LOOP
    BEGIN
      now_at := floor(extract(epoch FROM coalesce(clock, clock_timestamp())) * 1000000);
      SELECT * INTO pace FROM credential_pace(rate.tenant_id, rate.credential_id);
      FOR next IN
        SELECT w.*, r.status, r.id IS NULL OR r.completed_at IS NOT NULL AS is_over FROM credential_waits w
        LEFT JOIN LATERAL (SELECT * FROM runs r WHERE r.tenant_id = w.tenant_id AND r.id = w.run_id OFFSET 0) r ON true
        WHERE w.tenant_id = rate.tenant_id AND w.credential_id = rate.credential_id AND w.due_at IS NULL ORDER BY w.tag, w.asked_at LIMIT 500
      LOOP
        IF next.is_over THEN
          DELETE FROM credential_waits w
          WHERE w.tenant_id = next.tenant_id AND w.run_id = next.run_id AND w.path = next.path AND w.credential_id = next.credential_id;
          CONTINUE;
        END IF;
        CONTINUE WHEN NOT next.in_place AND next.status <> 'waiting';
        slot := CASE WHEN pace.step IS NULL THEN now_at
          ELSE greatest(now_at + lead, rate.next_at - pace.slack, floor(extract(epoch FROM rate.closed_until) * 1000000)) END;
        EXIT WHEN slot > now_at + horizon;
        IF pace.step IS NOT NULL THEN rate.next_at := greatest(rate.next_at, slot) + pace.step; END IF;
        UPDATE credential_waits w SET due_at = slot, next_at = rate.next_at
        WHERE w.tenant_id = next.tenant_id AND w.run_id = next.run_id AND w.path = next.path AND w.credential_id = next.credential_id;
        rate.served := greatest(rate.served, next.tag);
        IF NOT next.in_place THEN
          tenant_id := next.tenant_id;
          run_id := next.run_id;
          RETURN NEXT;
        END IF;
      END LOOP;
      UPDATE credential_rates r SET next_at = rate.next_at, served = rate.served
      WHERE r.tenant_id = rate.tenant_id AND r.credential_id = rate.credential_id AND (r.next_at, r.served) <> (rate.next_at, rate.served);
    EXCEPTION WHEN SQLSTATE 'CW503' THEN
      -- The tenant moves to another installation, where its runs go on.
      NULL;
    END;
  END LOOP;
END $$;

-- Closes a credential for `ms` milliseconds, at most an hour. A refusal closes it for at least 1 s, and for twice as long as the one before if that
-- ended within the last minute or two, up to 5 minutes; one that arrives while it is closed says nothing new.
CREATE FUNCTION "close_credential"(tenant text, credential bigint, ms double precision, is_refusal boolean, clock timestamptz DEFAULT NULL)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO credential_rates AS r (tenant_id, credential_id, closed_until, refusals)
  SELECT tenant, credential, t.now_at + least(greatest(ms, CASE WHEN is_refusal THEN 1000 ELSE 0 END), 3600000) * interval '1 ms', is_refusal::int
  FROM (SELECT coalesce(clock, clock_timestamp()) AS now_at) t
  ON CONFLICT (tenant_id, credential_id) DO UPDATE SET
    refusals = CASE WHEN NOT is_refusal OR r.closed_until > coalesce(clock, clock_timestamp()) THEN r.refusals
      WHEN r.closed_until > coalesce(clock, clock_timestamp()) - interval '2 minutes' THEN least(r.refusals + 1, 30) ELSE 1 END,
    closed_until = greatest(r.closed_until, excluded.closed_until, CASE
      WHEN is_refusal AND r.closed_until <= coalesce(clock, clock_timestamp()) AND r.closed_until > coalesce(clock, clock_timestamp()) - interval '2 minutes'
      THEN coalesce(clock, clock_timestamp()) + least(300, power(2, least(r.refusals, 20))) * interval '1 second' END)
$$;
