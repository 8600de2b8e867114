-- Buckets of requests, each refilled at a steady rate. Unlogged, as a crash may empty or fill them.
CREATE UNLOGGED TABLE "rate_buckets" (
    "subject" TEXT NOT NULL,
    "full_at" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "rate_buckets_pkey" PRIMARY KEY ("subject")
);
ALTER TABLE "rate_buckets" SET (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE, DELETE ON "rate_buckets" TO causeway_system;

-- Takes the cost of each request from the bucket of its subject, all of it or none. Answers 0, or the milliseconds until the
-- bucket holds as much. A bucket is one number: when it is full again, in microseconds since 1970.
CREATE FUNCTION "take_buckets"(
  subjects text[], costs integer[], per_second double precision, burst integer, clock timestamptz DEFAULT NULL
) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
  refill CONSTANT double precision := 1000000 / per_second;
  waits integer[] := array_fill(0, ARRAY[cardinality(subjects)]);
  asked record;
  bucket rate_buckets;
  now_at double precision;
  ready_at double precision;
  after_this double precision;
BEGIN
  -- Everybody locks in one order, so that no two calls wait for each other.
  FOR asked IN
    SELECT u.subject, array_agg(u.cost ORDER BY u.place) AS costs, array_agg(u.place ORDER BY u.place) AS places
    FROM unnest(subjects, costs) WITH ORDINALITY AS u(subject, cost, place)
    GROUP BY u.subject ORDER BY u.subject COLLATE "C"
  LOOP
    LOOP
      SELECT * INTO bucket FROM rate_buckets r WHERE r.subject = asked.subject FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO rate_buckets (subject, full_at) VALUES (asked.subject, 0) ON CONFLICT DO NOTHING;
    END LOOP;
    -- Only now, as waiting for the row takes time.
    now_at := floor(extract(epoch FROM coalesce(clock, clock_timestamp())) * 1000000);
    ready_at := greatest(bucket.full_at, now_at);
    -- A bucket that is never so far from full is of a clock that somebody has set back.
    IF ready_at - now_at > burst * refill + 60000000 THEN ready_at := now_at; END IF;
    FOR i IN 1 .. cardinality(asked.costs) LOOP
      -- What costs more than the bucket holds passes when it is full.
      after_this := ready_at + least(asked.costs[i], burst) * refill;
      IF after_this - now_at > burst * refill THEN
        waits[asked.places[i]] := ceil((after_this - now_at - burst * refill) / 1000);
      ELSE
        ready_at := after_this;
      END IF;
    END LOOP;
    IF ready_at <> bucket.full_at THEN
      UPDATE rate_buckets r SET full_at = ready_at WHERE r.subject = asked.subject;
    END IF;
  END LOOP;
  RETURN waits;
END $$;
