-- The trace of the request that made an import or export, as "runs"."traceparent".
ALTER TABLE "bulk_jobs" ADD COLUMN "traceparent" text;
