-- When the alert was last put into a message, so that a message which is merged with what has happened since counts each group once.
ALTER TABLE "alerts" ADD COLUMN "taken_at" TIMESTAMPTZ(3);
