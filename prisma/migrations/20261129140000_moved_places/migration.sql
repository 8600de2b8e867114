-- By how much the places of events have been moved down in all, so that a position that is kept elsewhere can follow them.
ALTER TABLE "outbox_order" ADD COLUMN "moved" BIGINT NOT NULL DEFAULT 0;
GRANT UPDATE ("moved") ON "outbox_order" TO causeway_system;
