-- Themes, what extends them, and what of both each tenant has installed.
CREATE TYPE "extension_type" AS ENUM ('public', 'private');
CREATE TYPE "extension_status" AS ENUM ('draft', 'published', 'withdrawn');
CREATE TYPE "installation_status" AS ENUM ('installed', 'disabled', 'uninstalled');

CREATE TABLE "themes" (
    "id" BIGSERIAL NOT NULL,
    "vendor" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "themes_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "themes_vendor_name_version_key" ON "themes" ("vendor", "name", "version");

CREATE TABLE "theme_installations" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "key" TEXT NOT NULL,
    "theme_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "theme_installations_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE UNIQUE INDEX "theme_installations_tenant_id_key_key" ON "theme_installations" ("tenant_id", "key");
CREATE INDEX "theme_installations_theme_id_idx" ON "theme_installations" ("theme_id");

CREATE TABLE "extension_names" (
    "vendor" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "extension_names_pkey" PRIMARY KEY ("vendor", "name")
);

CREATE TABLE "extensions" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "vendor" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "type" "extension_type" NOT NULL,
    "status" "extension_status" NOT NULL DEFAULT 'draft',
    "url" TEXT NOT NULL,
    "target_theme" TEXT NOT NULL,
    "target_version" TEXT NOT NULL,
    "manifest" JSON NOT NULL,
    "integrity" JSON NOT NULL,
    "blocked" BOOLEAN NOT NULL DEFAULT false,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "extensions_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "extensions_vendor_name_version_key" ON "extensions" ("vendor", "name", "version");
CREATE INDEX "extensions_tenant_id_id_idx" ON "extensions" ("tenant_id", "id");

CREATE TABLE "extension_assets" (
    "extension_id" BIGINT NOT NULL,
    "path" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "integrity" TEXT NOT NULL,
    "elements" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "extension_assets_pkey" PRIMARY KEY ("extension_id", "path")
);

CREATE TABLE "extension_installations" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "extension_id" BIGINT NOT NULL,
    "vendor" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" "installation_status" NOT NULL DEFAULT 'installed',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "extension_installations_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE INDEX "extension_installations_extension_id_idx" ON "extension_installations" ("extension_id");
-- A tenant has one version of an extension at a time; what it uninstalled stays as history.
CREATE UNIQUE INDEX "extension_installations_present_key" ON "extension_installations" ("tenant_id", "vendor", "name") WHERE "status" <> 'uninstalled';

ALTER TABLE "theme_installations" ADD CONSTRAINT "theme_installations_theme_id_fkey" FOREIGN KEY ("theme_id") REFERENCES "themes" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "extensions" ADD CONSTRAINT "extensions_vendor_name_fkey" FOREIGN KEY ("vendor", "name") REFERENCES "extension_names" ("vendor", "name") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "extension_assets" ADD CONSTRAINT "extension_assets_extension_id_fkey" FOREIGN KEY ("extension_id") REFERENCES "extensions" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "extension_installations" ADD CONSTRAINT "extension_installations_extension_id_fkey" FOREIGN KEY ("extension_id") REFERENCES "extensions" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The registry of themes and the owners of names are the same for every tenant.
GRANT SELECT, INSERT ON "themes" TO causeway_system;
GRANT SELECT ON "themes" TO causeway_app;
GRANT USAGE ON SEQUENCE "themes_id_seq" TO causeway_system;
GRANT SELECT, INSERT ON "extension_names" TO causeway_app;

ALTER TABLE "theme_installations" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "theme_installations" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "theme_installations" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON "theme_installations" TO causeway_app;
GRANT USAGE ON SEQUENCE "theme_installations_id_seq" TO causeway_app;

ALTER TABLE "extension_installations" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "extension_installations" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "extension_installations" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
-- Assets are served to anyone while some tenant pins the version, and a withdrawal tells those who do.
CREATE POLICY system ON "extension_installations" FOR SELECT TO causeway_system USING (true);
GRANT SELECT, INSERT, UPDATE ON "extension_installations" TO causeway_app;
GRANT SELECT ON "extension_installations" TO causeway_system;
GRANT USAGE ON SEQUENCE "extension_installations_id_seq" TO causeway_app;

-- A tenant sees its own, and what was published of the public ones. Operators, who act in no tenant, see all.
ALTER TABLE "extensions" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "extensions" FORCE ROW LEVEL SECURITY;
CREATE POLICY seen ON "extensions" FOR SELECT TO causeway_app
  USING (current_tenant() IS NULL OR tenant_id = current_tenant() OR (type = 'public' AND status <> 'draft'));
CREATE POLICY registered ON "extensions" FOR INSERT TO causeway_app WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "extensions" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON "extensions" TO causeway_app;
GRANT SELECT, UPDATE ("status", "blocked", "reason") ON "extensions" TO causeway_system;
GRANT USAGE ON SEQUENCE "extensions_id_seq" TO causeway_app;

ALTER TABLE "extension_assets" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "extension_assets" FORCE ROW LEVEL SECURITY;
CREATE POLICY seen ON "extension_assets" FOR SELECT TO causeway_app
  USING (EXISTS (SELECT FROM "extensions" e WHERE e.id = extension_id));
CREATE POLICY registered ON "extension_assets" FOR INSERT TO causeway_app
  WITH CHECK (EXISTS (SELECT FROM "extensions" e WHERE e.id = extension_id AND e.tenant_id = current_tenant()));
CREATE POLICY system ON "extension_assets" FOR SELECT TO causeway_system USING (true);
GRANT SELECT, INSERT ON "extension_assets" TO causeway_app;
GRANT SELECT ON "extension_assets" TO causeway_system;
