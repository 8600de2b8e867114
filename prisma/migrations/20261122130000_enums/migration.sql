-- Closed sets of values become enums where the table is small. To change a column's type rewrites the table under an exclusive
-- lock: three minutes for the runs, steps, log lines and audit entries of a million runs. Those keep text with a CHECK.

CREATE TYPE "trigger_type" AS ENUM ('manual', 'schedule', 'webhook', 'event');
CREATE TYPE "dead_letter_status" AS ENUM ('pending', 'replayed', 'discarded');
CREATE TYPE "bundle_status" AS ENUM ('none', 'building', 'ready', 'failed');
CREATE TYPE "misfire_policy" AS ENUM ('skip', 'fire_once', 'catch_up');
CREATE TYPE "credential_status" AS ENUM ('active', 'pending', 'expired', 'revoked');
CREATE TYPE "auth_kind" AS ENUM ('secret', 'oauth2');
CREATE TYPE "key_purpose" AS ENUM ('credentials', 'secrets');

-- An index whose condition compares the column with text cannot survive the change.
DROP INDEX "triggers_event_idx";
ALTER TABLE "triggers" DROP CONSTRAINT "triggers_type_check",
  ALTER COLUMN "type" TYPE "trigger_type" USING "type"::"trigger_type";
CREATE INDEX "triggers_event_idx" ON "triggers" ("tenant_id", "id") WHERE "type" = 'event' AND "active";

ALTER TABLE "dead_letters" DROP CONSTRAINT "dead_letters_status_check",
  ALTER COLUMN "status" DROP DEFAULT,
  ALTER COLUMN "status" TYPE "dead_letter_status" USING "status"::"dead_letter_status",
  ALTER COLUMN "source" TYPE "trigger_type" USING "source"::"trigger_type",
  ALTER COLUMN "status" SET DEFAULT 'pending';

ALTER TABLE "workflows" DROP CONSTRAINT "workflows_bundle_status_check",
  ALTER COLUMN "bundle_status" DROP DEFAULT,
  ALTER COLUMN "bundle_status" TYPE "bundle_status" USING "bundle_status"::"bundle_status",
  ALTER COLUMN "bundle_status" SET DEFAULT 'none';

ALTER TABLE "schedules" DROP CONSTRAINT "schedules_misfire_check",
  ALTER COLUMN "misfire" TYPE "misfire_policy" USING "misfire"::"misfire_policy";

ALTER TABLE "credentials" DROP CONSTRAINT "credentials_status_check",
  ALTER COLUMN "status" DROP DEFAULT,
  ALTER COLUMN "status" TYPE "credential_status" USING "status"::"credential_status",
  ALTER COLUMN "status" SET DEFAULT 'active';

ALTER TABLE "credential_types" ALTER COLUMN "auth_kind" TYPE "auth_kind" USING "auth_kind"::"auth_kind";

ALTER TABLE "data_keys" DROP CONSTRAINT "data_keys_purpose_check",
  ALTER COLUMN "purpose" TYPE "key_purpose" USING "purpose"::"key_purpose";

-- The closed sets of large tables that no CHECK held yet. NOT VALID takes no scan, and new rows are held to it all the same.
ALTER TABLE "runs" ADD CONSTRAINT "runs_trigger_type_check"
  CHECK ("trigger_type" IN ('manual', 'schedule', 'webhook', 'event')) NOT VALID;
ALTER TABLE "run_log_lines" ADD CONSTRAINT "run_log_lines_level_check"
  CHECK ("level" IN ('debug', 'info', 'warn', 'error')) NOT VALID;
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_channel_check"
  CHECK ("channel" IN ('api', 'webhook', 'schedule', 'event', 'system')) NOT VALID;
