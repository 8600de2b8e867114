-- Prices that include the tax. A constant default, so that Postgres does not rewrite the tables: what is there was without.
ALTER TABLE "price_lists" ADD COLUMN "tax_included" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "order_positions" ADD COLUMN "tax_included" BOOLEAN NOT NULL DEFAULT false;

-- Tax that is rounded as invoices by EN 16931 round it.
ALTER TYPE "tax_rounding" ADD VALUE 'rate';
