-- The idempotency key of the step of a run that started the job: a repeated attempt finds the job instead of starting another.
ALTER TABLE "bulk_jobs" ADD COLUMN "idempotency_key" text;
