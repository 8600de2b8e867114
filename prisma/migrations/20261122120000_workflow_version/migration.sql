-- Counts every change of a workflow, where the revision counts those of its blob alone.
ALTER TABLE "workflows" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
