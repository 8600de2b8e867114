-- What follows from one run, by events that start runs, is counted under that run.
ALTER TABLE "runs" ADD COLUMN "root_run_id" BIGINT;

CREATE TABLE "event_chains" (
    "tenant_id" TEXT NOT NULL,
    "root_run_id" BIGINT NOT NULL,
    "firings" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_chains_pkey" PRIMARY KEY ("tenant_id","root_run_id")
);

CREATE INDEX "event_chains_created_at_idx" ON "event_chains"("created_at");

ALTER TABLE "event_chains" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "event_chains" FORCE ROW LEVEL SECURITY;
CREATE POLICY system ON "event_chains" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "event_chains" TO causeway_system;
