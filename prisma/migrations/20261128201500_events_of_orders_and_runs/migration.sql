-- From a change of an order its event is found, from the event the runs that it started, and of these the steps that called another system.
ALTER TABLE "order_changes" ADD COLUMN "event_id" UUID;
ALTER TABLE "runs" ADD COLUMN "event_id" UUID;
ALTER TABLE "steps" ADD COLUMN "calls" JSONB;
