-- Apart from adding the checks, so that reading the rows holds no lock that keeps others from writing.
ALTER TABLE "import_profiles" VALIDATE CONSTRAINT "import_profiles_skip_lines_check";
ALTER TABLE "import_profiles" VALIDATE CONSTRAINT "import_profiles_encoding_check";
