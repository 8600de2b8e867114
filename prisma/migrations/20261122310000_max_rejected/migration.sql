ALTER TABLE "import_profiles" ADD COLUMN "max_rejected" TEXT;
