-- Steps are recorded when they start, with what they are given.
ALTER TABLE "steps" ADD COLUMN "node" TEXT, ADD COLUMN "node_version" TEXT, ADD COLUMN "inputs" JSONB;
ALTER TABLE "steps" DROP CONSTRAINT "steps_status_check";
ALTER TABLE "steps" ADD CONSTRAINT "steps_status_check"
  CHECK ("status" IN ('running', 'succeeded', 'failed', 'skipped', 'waiting')) NOT VALID;

-- What idempotency keys are made from: ids of runs are given again after a restore. A default for new runs alone leaves the table as
-- it is.
ALTER TABLE "runs" ADD COLUMN "nonce" UUID;
ALTER TABLE "runs" ALTER COLUMN "nonce" SET DEFAULT gen_random_uuid();
