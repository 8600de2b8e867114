-- The dead letters of an event are found without reading the tenant's others.
CREATE INDEX CONCURRENTLY "dead_letters_event_idx" ON "dead_letters" ("tenant_id", "event_id", "id") WHERE "event_id" IS NOT NULL;
