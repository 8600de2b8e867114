-- The id that the sender of a request gave it, with whatever the request has caused.
ALTER TABLE "runs" ADD COLUMN "request_id" text;
ALTER TABLE "dead_letters" ADD COLUMN "request_id" text;
ALTER TABLE "webhook_payloads" ADD COLUMN "request_id" text;
ALTER TABLE "order_changes" ADD COLUMN "request_id" text;
ALTER TABLE "bulk_jobs" ADD COLUMN "request_id" text;
