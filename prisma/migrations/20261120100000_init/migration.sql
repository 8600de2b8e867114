-- Tables as prisma/schema describes them. What its language cannot say (partitions, policies, roles, partial indexes)
-- follows below.

-- CreateTable
CREATE TABLE "dead_letters" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "trigger_id" BIGINT NOT NULL,
    "source" TEXT NOT NULL,
    "trigger_handle" UUID NOT NULL,
    "reason" TEXT NOT NULL DEFAULT '',
    "status" TEXT NOT NULL DEFAULT 'pending',
    "replayed_run_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dead_letters_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "dead_letter_payloads" (
    "tenant_id" TEXT NOT NULL,
    "dead_letter_id" BIGINT NOT NULL,
    "payload" JSONB NOT NULL,

    CONSTRAINT "dead_letter_payloads_pkey" PRIMARY KEY ("tenant_id","dead_letter_id")
);

-- CreateTable
CREATE TABLE "orgs" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "orgs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tenants" (
    "id" TEXT NOT NULL,
    "org_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" BIGSERIAL NOT NULL,
    "iss" TEXT NOT NULL,
    "sub" TEXT NOT NULL,
    "email" TEXT,
    "name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" BIGSERIAL NOT NULL,
    "org_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "actor_sub" TEXT,
    "actor_email" TEXT,
    "via_system" BOOLEAN NOT NULL,
    "channel" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_id" TEXT NOT NULL,
    "metadata" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("tenant_id","id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "outbox_events" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "event_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "topic" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "xid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox_cursors" (
    "consumer" TEXT NOT NULL,
    "xid" BIGINT NOT NULL,
    "id" BIGINT NOT NULL,
    "batch_size" SMALLINT NOT NULL DEFAULT 200,
    "failures" SMALLINT NOT NULL DEFAULT 0,
    "retry_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_cursors_pkey" PRIMARY KEY ("consumer")
);

-- CreateTable
CREATE TABLE "outbox_failures" (
    "consumer" TEXT NOT NULL,
    "id" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "error" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_failures_pkey" PRIMARY KEY ("consumer","id")
);

-- CreateTable
CREATE TABLE "node_packages" (
    "id" BIGSERIAL NOT NULL,
    "org_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "build" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "node_packages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "nodes" (
    "id" BIGSERIAL NOT NULL,
    "package_id" BIGINT NOT NULL,
    "namespace" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "version_order" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "manifest_version" TEXT NOT NULL,
    "manifest" JSONB NOT NULL,
    "code_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "nodes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credential_types" (
    "id" BIGSERIAL NOT NULL,
    "package_id" BIGINT NOT NULL,
    "slug" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "version_order" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "auth_kind" TEXT NOT NULL,
    "manifest" JSONB NOT NULL,
    "code_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credential_types_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_templates" (
    "id" BIGSERIAL NOT NULL,
    "package_id" BIGINT NOT NULL,
    "slug" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "version_order" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "manifest" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_templates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "package_images" (
    "id" BIGSERIAL NOT NULL,
    "package_id" BIGINT NOT NULL,
    "path" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "size" INTEGER NOT NULL,

    CONSTRAINT "package_images_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "node_code" (
    "hash" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "node_code_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "runs" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "bundle_id" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL,
    "trigger_id" BIGINT,
    "trigger_handle" UUID,
    "trigger_type" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "version" INTEGER NOT NULL DEFAULT 1,
    "error" TEXT,
    "worker_id" UUID,
    "held" BOOLEAN NOT NULL DEFAULT false,
    "retries" SMALLINT NOT NULL DEFAULT 0,
    "wake_at" TIMESTAMPTZ(3),
    "cancel_requested_at" TIMESTAMPTZ(3),
    "parent_run_id" BIGINT,
    "parent_step_path" TEXT,
    "depth" SMALLINT NOT NULL DEFAULT 0,
    "rerun_of_id" BIGINT,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "runs_pkey" PRIMARY KEY ("tenant_id","id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "run_payloads" (
    "tenant_id" TEXT NOT NULL,
    "run_id" BIGINT NOT NULL,
    "payload" JSONB NOT NULL,

    CONSTRAINT "run_payloads_pkey" PRIMARY KEY ("tenant_id","run_id")
) PARTITION BY RANGE ("run_id");

-- CreateTable
CREATE TABLE "run_results" (
    "tenant_id" TEXT NOT NULL,
    "run_id" BIGINT NOT NULL,
    "result" JSONB NOT NULL,

    CONSTRAINT "run_results_pkey" PRIMARY KEY ("tenant_id","run_id")
) PARTITION BY RANGE ("run_id");

-- CreateTable
CREATE TABLE "run_keys" (
    "tenant_id" TEXT NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "run_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_keys_pkey" PRIMARY KEY ("tenant_id","workflow_id","key")
);

-- CreateTable
CREATE TABLE "steps" (
    "tenant_id" TEXT NOT NULL,
    "run_id" BIGINT NOT NULL,
    "path" TEXT NOT NULL,
    "attempt" SMALLINT NOT NULL,
    "generation" SMALLINT NOT NULL DEFAULT 0,
    "node_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "branch" TEXT,
    "outputs" JSONB,
    "error" JSONB,
    "waiting_for" TEXT,
    "resume_token" UUID,
    "wake_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "steps_pkey" PRIMARY KEY ("tenant_id","run_id","path","attempt")
) PARTITION BY RANGE ("run_id");

-- CreateTable
CREATE TABLE "run_log_lines" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "run_id" BIGINT NOT NULL,
    "step_path" TEXT NOT NULL,
    "attempt" SMALLINT NOT NULL,
    "level" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "run_log_lines_pkey" PRIMARY KEY ("tenant_id","run_id","id")
) PARTITION BY RANGE ("run_id");

-- CreateTable
CREATE TABLE "workers" (
    "id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflows" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "blob" JSONB NOT NULL,
    "bundle_status" TEXT NOT NULL DEFAULT 'none',
    "bundle_revision" INTEGER,
    "bundle_error" TEXT,
    "bundle_built_at" TIMESTAMPTZ(3),
    "bundle_id" BIGINT,
    "concurrency" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "workflows_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "workflow_revisions" (
    "tenant_id" TEXT NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL,
    "blob" JSONB NOT NULL,
    "created_by" BIGINT,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_revisions_pkey" PRIMARY KEY ("tenant_id","workflow_id","revision")
);

-- CreateTable
CREATE TABLE "workflow_bundles" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL,
    "content" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_bundles_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "triggers" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "handle" UUID NOT NULL DEFAULT gen_random_uuid(),
    "type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "config" JSONB NOT NULL DEFAULT '{}',
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "triggers_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE INDEX "dead_letters_tenant_id_workflow_id_id_idx" ON "dead_letters"("tenant_id", "workflow_id", "id");

-- CreateIndex
CREATE INDEX "dead_letters_tenant_id_status_id_idx" ON "dead_letters"("tenant_id", "status", "id");

-- CreateIndex
CREATE INDEX "tenants_org_id_id_idx" ON "tenants"("org_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "users_iss_sub_key" ON "users"("iss", "sub");

-- CreateIndex
CREATE INDEX "outbox_events_xid_id_idx" ON "outbox_events"("xid", "id");

-- CreateIndex
CREATE INDEX "outbox_failures_id_idx" ON "outbox_failures"("id");

-- CreateIndex
CREATE UNIQUE INDEX "node_packages_name_version_key" ON "node_packages"("name", "version");

-- CreateIndex
CREATE INDEX "nodes_slug_version_order_idx" ON "nodes"("slug", "version_order" DESC);

-- CreateIndex
CREATE INDEX "nodes_namespace_slug_idx" ON "nodes"("namespace", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "nodes_slug_version_key" ON "nodes"("slug", "version");

-- CreateIndex
CREATE INDEX "credential_types_slug_version_order_idx" ON "credential_types"("slug", "version_order" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "credential_types_slug_version_key" ON "credential_types"("slug", "version");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_templates_slug_version_key" ON "workflow_templates"("slug", "version");

-- CreateIndex
CREATE UNIQUE INDEX "package_images_package_id_path_key" ON "package_images"("package_id", "path");

-- CreateIndex
CREATE INDEX "runs_tenant_id_workflow_id_id_idx" ON "runs"("tenant_id", "workflow_id", "id");

-- CreateIndex
CREATE INDEX "runs_tenant_id_started_at_id_idx" ON "runs"("tenant_id", "started_at", "id");

-- CreateIndex
CREATE INDEX "run_keys_created_at_idx" ON "run_keys"("created_at");

-- CreateIndex
CREATE INDEX "workers_lease_until_idx" ON "workers"("lease_until");

-- CreateIndex
CREATE INDEX "workflow_bundles_tenant_id_workflow_id_revision_idx" ON "workflow_bundles"("tenant_id", "workflow_id", "revision");

-- CreateIndex
CREATE INDEX "triggers_tenant_id_workflow_id_idx" ON "triggers"("tenant_id", "workflow_id");

-- CreateIndex
CREATE UNIQUE INDEX "triggers_tenant_id_handle_key" ON "triggers"("tenant_id", "handle");

-- AddForeignKey
ALTER TABLE "dead_letters" ADD CONSTRAINT "dead_letters_tenant_id_workflow_id_fkey" FOREIGN KEY ("tenant_id", "workflow_id") REFERENCES "workflows"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "orgs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_package_id_fkey" FOREIGN KEY ("package_id") REFERENCES "node_packages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_code_hash_fkey" FOREIGN KEY ("code_hash") REFERENCES "node_code"("hash") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credential_types" ADD CONSTRAINT "credential_types_package_id_fkey" FOREIGN KEY ("package_id") REFERENCES "node_packages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credential_types" ADD CONSTRAINT "credential_types_code_hash_fkey" FOREIGN KEY ("code_hash") REFERENCES "node_code"("hash") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_templates" ADD CONSTRAINT "workflow_templates_package_id_fkey" FOREIGN KEY ("package_id") REFERENCES "node_packages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "package_images" ADD CONSTRAINT "package_images_package_id_fkey" FOREIGN KEY ("package_id") REFERENCES "node_packages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_tenant_id_workflow_id_fkey" FOREIGN KEY ("tenant_id", "workflow_id") REFERENCES "workflows"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_revisions" ADD CONSTRAINT "workflow_revisions_tenant_id_workflow_id_fkey" FOREIGN KEY ("tenant_id", "workflow_id") REFERENCES "workflows"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_bundles" ADD CONSTRAINT "workflow_bundles_tenant_id_workflow_id_fkey" FOREIGN KEY ("tenant_id", "workflow_id") REFERENCES "workflows"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_tenant_id_workflow_id_fkey" FOREIGN KEY ("tenant_id", "workflow_id") REFERENCES "workflows"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;


-- Names are unique among workflows that live.
CREATE UNIQUE INDEX "workflows_tenant_id_name_key" ON "workflows" ("tenant_id", "name") WHERE "deleted_at" IS NULL;

-- The indexes of the reconciler and of the narrowing filters hold only what they look for.
CREATE INDEX "runs_live_idx" ON "runs" ("status", "id") WHERE "status" IN ('queued', 'running', 'waiting');
CREATE INDEX "runs_unhappy_idx" ON "runs" ("tenant_id", "status", "id") WHERE "status" IN ('failed', 'cancelled');
CREATE INDEX "runs_duration_idx" ON "runs" ("tenant_id", ("completed_at" - "started_at"), "id") WHERE "completed_at" IS NOT NULL;
CREATE INDEX "runs_parent_idx" ON "runs" ("tenant_id", "parent_run_id") WHERE "parent_run_id" IS NOT NULL;
CREATE UNIQUE INDEX "steps_resume_token_idx" ON "steps" ("tenant_id", "resume_token", "run_id") WHERE "resume_token" IS NOT NULL;

-- Every event asks for the triggers of its tenant that wait for events.
CREATE INDEX "triggers_event_idx" ON "triggers" ("tenant_id", "id") WHERE "type" = 'event' AND "active";

-- The outbox wakes its relay itself, so that no writer can forget to. Notices of one transaction are one notice.
CREATE FUNCTION "notify_outbox"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('causeway_outbox', '[1]');
  RETURN NULL;
END $$;
CREATE TRIGGER "outbox_events_notify" AFTER INSERT ON "outbox_events" FOR EACH STATEMENT EXECUTE FUNCTION "notify_outbox"();

-- A status outside the contract is a bug wherever it comes from.
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_bundle_status_check" CHECK ("bundle_status" IN ('none', 'building', 'ready', 'failed'));
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_type_check" CHECK ("type" IN ('manual', 'schedule', 'webhook', 'event'));
ALTER TABLE "runs" ADD CONSTRAINT "runs_status_check" CHECK ("status" IN ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'));
ALTER TABLE "steps" ADD CONSTRAINT "steps_status_check" CHECK ("status" IN ('succeeded', 'failed', 'skipped', 'waiting'));
ALTER TABLE "dead_letters" ADD CONSTRAINT "dead_letters_status_check" CHECK ("status" IN ('pending', 'replayed', 'discarded'));

-- Partitions: five million ids each. Ids only grow, so a partition is a span of time and retention can drop it whole.
CREATE FUNCTION "ensure_partitions"() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  span CONSTANT bigint := 5000000;
  made integer := 0;
  entry record;
  part bigint;
BEGIN
  -- One at a time: two processes starting together must not race to create the same table.
  PERFORM pg_advisory_xact_lock(hashtext('causeway.partitions'));
  FOR entry IN
    SELECT t.name, t.sequence FROM (VALUES
      ('runs', 'runs_id_seq'), ('run_payloads', 'runs_id_seq'), ('run_results', 'runs_id_seq'),
      ('steps', 'runs_id_seq'), ('run_log_lines', 'runs_id_seq'), ('audit_entries', 'audit_entries_id_seq')
    ) AS t(name, sequence)
  LOOP
    FOR part IN SELECT generate_series(p, p + 1) FROM (
      SELECT coalesce(pg_sequence_last_value(entry.sequence::regclass), 0) / span AS p
    ) AS current
    LOOP
      IF to_regclass(format('%I', entry.name || '_p' || part)) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)',
          entry.name || '_p' || part, entry.name, part * span, (part + 1) * span);
        IF entry.name = 'runs' THEN
          -- A run is inserted once and updated a few times: leave room, and look often.
          EXECUTE format('ALTER TABLE %I SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)', entry.name || '_p' || part);
        END IF;
        made := made + 1;
      END IF;
    END LOOP;
  END LOOP;
  RETURN made;
END $$;
SELECT "ensure_partitions"();

-- Two roles. causeway_app serves requests and sees one tenant at a time, causeway_system moves runs, jobs and events of
-- all tenants and is granted only the tables that takes. Neither may bypass row-level security.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'causeway_app') THEN CREATE ROLE causeway_app LOGIN NOINHERIT; END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'causeway_system') THEN CREATE ROLE causeway_system LOGIN NOINHERIT; END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN
  -- The migrating user must be able to act as both when it is not a superuser.
  EXECUTE format('GRANT causeway_app, causeway_system TO %I', current_user);
EXCEPTION WHEN OTHERS THEN NULL; END $$;
GRANT USAGE ON SCHEMA public TO causeway_app, causeway_system;

-- The tenant of the transaction. Unset and empty alike are no tenant, and match no row.
CREATE FUNCTION "current_tenant"() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('causeway.tenant_id', true), '') $$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'workflows', 'workflow_revisions', 'workflow_bundles', 'triggers', 'runs', 'run_payloads', 'run_results', 'run_keys',
    'steps', 'run_log_lines', 'dead_letters', 'dead_letter_payloads', 'audit_entries', 'outbox_events', 'outbox_failures'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('CREATE POLICY system ON %I TO causeway_system USING (true) WITH CHECK (true)', name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON
  "workflows", "workflow_revisions", "workflow_bundles", "triggers", "runs", "run_payloads", "run_results", "run_keys",
  "steps", "run_log_lines", "dead_letters", "dead_letter_payloads"
  TO causeway_app, causeway_system;
GRANT SELECT, INSERT ON "audit_entries" TO causeway_app, causeway_system;
GRANT SELECT, INSERT ON "outbox_events" TO causeway_app, causeway_system;
GRANT DELETE, UPDATE ("xid") ON "outbox_events" TO causeway_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON "workers", "outbox_cursors", "outbox_failures" TO causeway_system;
GRANT SELECT ON "workers" TO causeway_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  "orgs", "tenants", "users", "node_packages", "nodes", "credential_types", "workflow_templates", "package_images", "node_code"
  TO causeway_app;
GRANT SELECT ON
  "orgs", "tenants", "users", "node_packages", "nodes", "credential_types", "workflow_templates", "package_images", "node_code"
  TO causeway_system;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO causeway_app, causeway_system;
GRANT EXECUTE ON FUNCTION "ensure_partitions"() TO causeway_system;
REVOKE EXECUTE ON FUNCTION "ensure_partitions"() FROM PUBLIC;
