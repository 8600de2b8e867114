ALTER TABLE "bulk_actions" VALIDATE CONSTRAINT "bulk_actions_kind_check";
ALTER TABLE "bulk_actions" VALIDATE CONSTRAINT "bulk_actions_owner_check";
