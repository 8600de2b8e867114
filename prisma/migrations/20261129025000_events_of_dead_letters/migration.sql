-- The story of an order tells that its event could not start a run.
ALTER TABLE "dead_letters" ADD COLUMN "event_id" UUID;
