-- Empty: names of XML are as files write them. The default is a constant, which needs no new rows.
ALTER TABLE "import_profiles" ADD COLUMN "namespaces" JSONB NOT NULL DEFAULT '{}';
