ALTER TABLE "credentials" VALIDATE CONSTRAINT "credentials_rate_check";
