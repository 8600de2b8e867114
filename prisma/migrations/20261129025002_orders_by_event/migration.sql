-- The order that a run is about is found by the event of the run.
CREATE INDEX CONCURRENTLY "order_changes_event_idx" ON "order_changes" ("tenant_id", "event_id") WHERE "event_id" IS NOT NULL;
