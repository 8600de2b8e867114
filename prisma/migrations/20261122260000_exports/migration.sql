ALTER TABLE "bulk_jobs" ALTER COLUMN "profile_name" DROP NOT NULL;
ALTER TABLE "bulk_jobs" ALTER COLUMN "upload_id" DROP NOT NULL;
ALTER TABLE "bulk_jobs" ADD COLUMN "result_key" TEXT;
ALTER TABLE "bulk_jobs" ADD CONSTRAINT "bulk_jobs_of_a_file" CHECK ("kind" = 'export' OR "upload_id" IS NOT NULL);
-- The files that are kept, which sweeps look for by age and by content.
CREATE INDEX "bulk_jobs_results_idx" ON "bulk_jobs" ("result_key") WHERE "result_key" IS NOT NULL;
GRANT UPDATE ("result_key") ON "bulk_jobs" TO causeway_system;
