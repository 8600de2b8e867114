ALTER TABLE "alerts" VALIDATE CONSTRAINT "alerts_kind_check";
