-- Ids of jobs are unique over all tenants. With the tenant before them, the key took more than half of the time that copying a row takes.
ALTER TABLE "import_rows" DROP CONSTRAINT "import_rows_pkey";
ALTER TABLE "import_rows" ADD CONSTRAINT "import_rows_pkey" PRIMARY KEY ("job_id", "n");
