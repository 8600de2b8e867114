-- What was on hand before the last count from a file: a movement says how much it changed, and before Postgres 18 an UPDATE answers only
-- what is after it.
ALTER TABLE "stock_balances" ADD COLUMN "counted_from" DECIMAL;
