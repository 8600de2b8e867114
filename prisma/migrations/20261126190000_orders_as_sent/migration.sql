-- What the client sent for an order with an external key, so that the key with other content is told apart from a repeat. Null, so that
-- Postgres does not rewrite the table: an order that is older answers whatever comes with its key.
ALTER TABLE "orders" ADD COLUMN "sent" JSONB;
