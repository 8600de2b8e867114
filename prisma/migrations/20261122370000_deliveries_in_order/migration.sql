-- The time at which a delivery gets its id, rather than that at which its transaction began: the log, which is sorted by when deliveries
-- were made, is then read in the order of their ids, which every index has, and is not sorted as a whole.
ALTER TABLE "webhook_deliveries" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp(),
    ALTER COLUMN "updated_at" SET DEFAULT clock_timestamp();
