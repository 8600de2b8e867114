-- Lines before the header of a file, and encodings of old programs. The checks are validated by the next migration, so that adding them reads no rows under their lock.
ALTER TABLE "import_profiles"
  ADD COLUMN "skip_lines" INTEGER NOT NULL DEFAULT 0,
  ADD CONSTRAINT "import_profiles_skip_lines_check" CHECK ("skip_lines" BETWEEN 0 AND 1000) NOT VALID,
  DROP CONSTRAINT "import_profiles_encoding_check",
  ADD CONSTRAINT "import_profiles_encoding_check" CHECK ("encoding" IN ('utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15', 'cp850', 'macintosh')) NOT VALID;
