-- A random value of each order. Two statements, so that Postgres does not rewrite the table: orders that are there stay without one, and are read
-- with one that is made of what they hold.
ALTER TABLE "orders" ADD COLUMN "uid" UUID;
ALTER TABLE "orders" ALTER COLUMN "uid" SET DEFAULT gen_random_uuid();
