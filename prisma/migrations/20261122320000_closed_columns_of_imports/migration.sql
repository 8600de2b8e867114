-- The values that the product closes itself, so that the database refuses any other.
ALTER TABLE "import_profiles"
  ADD CONSTRAINT "import_profiles_format_check" CHECK ("format" IN ('csv', 'json', 'ndjson', 'xml', 'xlsx')),
  ADD CONSTRAINT "import_profiles_encoding_check" CHECK ("encoding" IN ('utf-8', 'utf-16le', 'utf-16be', 'windows-1252')),
  ADD CONSTRAINT "import_profiles_quantity_basis_check" CHECK ("quantity_basis" IN ('physical', 'available')),
  ADD CONSTRAINT "import_profiles_mode_check" CHECK ("mode" IN ('full', 'delta')),
  ADD CONSTRAINT "import_profiles_absent_check" CHECK ("absent" IN ('keep', 'zero'));
ALTER TABLE "bulk_jobs" ADD CONSTRAINT "bulk_jobs_kind_check" CHECK ("kind" IN ('import', 'export'));
