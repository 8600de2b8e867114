-- Steps of one millisecond are listed in the order they began. More precision leaves the rows of the table as they are.
ALTER TABLE "steps" ALTER COLUMN "started_at" TYPE TIMESTAMPTZ(6);
