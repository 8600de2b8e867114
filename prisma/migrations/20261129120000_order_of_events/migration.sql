-- How events get their places in the outbox. `snapshot`: an event has the number of its transaction, and may be read once every older transaction has
-- ended. `sequence`, for servers without that order: it waits at a place behind all others until the relay gives it the next number.
CREATE TABLE "outbox_order" (
    "form" TEXT NOT NULL,
    "number" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "outbox_order_pkey" PRIMARY KEY ("form"),
    CONSTRAINT "outbox_order_form_check" CHECK ("form" IN ('snapshot', 'sequence'))
);
INSERT INTO outbox_order (form) VALUES ('snapshot');
GRANT SELECT ON "outbox_order" TO causeway_app, causeway_system;
GRANT UPDATE ("number") ON "outbox_order" TO causeway_system;

-- These two are replaced when the form changes. Each is one expression, so that the planner puts it in the place of its call.
CREATE FUNCTION "outbox_place"() RETURNS bigint LANGUAGE sql VOLATILE
  RETURN pg_current_xact_id()::text::bigint;
CREATE FUNCTION "outbox_settled"() RETURNS bigint LANGUAGE sql STABLE
  RETURN pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
ALTER TABLE "outbox_events" ALTER COLUMN "xid" SET DEFAULT outbox_place();
