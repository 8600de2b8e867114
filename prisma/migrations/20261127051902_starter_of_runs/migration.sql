-- Who called the API to start a run; the audit log has no index by run.
ALTER TABLE "runs" ADD COLUMN "started_by" TEXT;
