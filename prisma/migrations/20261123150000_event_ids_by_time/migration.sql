-- Ids of events begin with their time, so that an index over them grows at its end instead of being written all over
-- (docs/decisions/event-ids-by-time.md). Before Postgres 18, which is the first to make them, they stay random.
DO $$
BEGIN
  IF to_regprocedure('uuidv7()') IS NOT NULL THEN
    ALTER TABLE "outbox_events" ALTER COLUMN "event_id" SET DEFAULT uuidv7();
  END IF;
END $$;
