-- Writers of events tell the relay after their commit: NOTIFY within a durable transaction makes the commits of the whole server
-- wait for each other.
DROP TRIGGER "outbox_events_notify" ON "outbox_events";
DROP FUNCTION "notify_outbox"();
