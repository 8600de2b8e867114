-- Whom a tenant tells of failures, by mail or by a webhook.
CREATE TABLE "alert_recipients" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "kinds" TEXT[] NOT NULL,
    "addresses" TEXT[] NOT NULL DEFAULT '{}',
    "url" TEXT,
    "sealed" BYTEA,
    "key_version" INTEGER,
    "expiring_days" INTEGER NOT NULL DEFAULT 14,
    "group_minutes" INTEGER NOT NULL DEFAULT 60,
    "hourly_limit" INTEGER NOT NULL DEFAULT 10,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_recipients_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "alert_recipients_channel_check" CHECK (("url" IS NULL) <> (cardinality("addresses") = 0)),
    CONSTRAINT "alert_recipients_secret_check" CHECK (("sealed" IS NULL) = ("key_version" IS NULL))
);

-- What a recipient is told of next: one row for each group of failures, which counts those since the last message.
CREATE TABLE "alerts" (
    "tenant_id" TEXT NOT NULL,
    "recipient_id" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" BIGINT NOT NULL,
    "error_group_id" UUID,
    "count" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "quiet_until" TIMESTAMPTZ(3),

    CONSTRAINT "alerts_pkey" PRIMARY KEY ("tenant_id", "recipient_id", "key"),
    CONSTRAINT "alerts_kind_check" CHECK ("kind" IN ('failed_runs', 'dead_letters', 'disabled_destinations', 'expiring_credentials'))
);
ALTER TABLE "alerts" SET (fillfactor = 70);
CREATE INDEX "alerts_due_idx" ON "alerts" ("tenant_id", "recipient_id", "due_at") WHERE "count" > 0;
-- Those that end when what they tell of ends.
CREATE INDEX "alerts_states_idx" ON "alerts" ("kind") WHERE "kind" IN ('disabled_destinations', 'expiring_credentials');
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_tenant_id_recipient_id_fkey" FOREIGN KEY ("tenant_id", "recipient_id")
    REFERENCES "alert_recipients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What recipients were told, or will be as soon as their mail server or their receiver takes it.
CREATE TABLE "alert_messages" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "recipient_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "is_test" BOOLEAN NOT NULL DEFAULT false,
    "event_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "content" JSONB NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "alert_messages_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "alert_messages_status_check" CHECK ("status" IN ('pending', 'sending', 'sent', 'failed'))
);
CREATE INDEX "alert_messages_tenant_id_recipient_id_id_idx" ON "alert_messages" ("tenant_id", "recipient_id", "id");
-- A recipient has one message that waits at most: what happens meanwhile is merged into it.
CREATE UNIQUE INDEX "alert_messages_unsent_key" ON "alert_messages" ("tenant_id", "recipient_id") WHERE "status" IN ('pending', 'sending') AND NOT "is_test";
CREATE INDEX "alert_messages_created_at_idx" ON "alert_messages" ("created_at");
ALTER TABLE "alert_messages" ADD CONSTRAINT "alert_messages_tenant_id_recipient_id_fkey" FOREIGN KEY ("tenant_id", "recipient_id")
    REFERENCES "alert_recipients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "alert_recipients" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "alert_recipients" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "alert_recipients" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "alert_recipients" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "alert_recipients" TO causeway_app;
GRANT SELECT ON "alert_recipients" TO causeway_system;
GRANT USAGE ON SEQUENCE "alert_recipients_id_seq" TO causeway_app;

ALTER TABLE "alerts" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "alerts" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "alerts" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "alerts" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE, DELETE ON "alerts" TO causeway_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON "alerts" TO causeway_system;

ALTER TABLE "alert_messages" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "alert_messages" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "alert_messages" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "alert_messages" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "alert_messages" TO causeway_app;
GRANT SELECT, UPDATE, DELETE ON "alert_messages" TO causeway_system;
GRANT USAGE ON SEQUENCE "alert_messages_id_seq" TO causeway_app;

-- Letters that were captured before are not told of.
ALTER TABLE "dead_letters" ADD COLUMN "is_noted" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "dead_letters" ALTER COLUMN "is_noted" SET DEFAULT false;
