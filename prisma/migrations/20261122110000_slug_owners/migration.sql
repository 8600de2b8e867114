-- A slug belongs to the package that first published it, and its namespace to that package's organisation, for good.
CREATE TABLE "slug_owners" (
    "slug" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "org_id" TEXT NOT NULL,
    "package_name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "slug_owners_pkey" PRIMARY KEY ("slug")
);

CREATE INDEX "slug_owners_namespace_idx" ON "slug_owners"("namespace");

-- Nothing deletes an owner, so the application cannot either.
GRANT SELECT, INSERT ON "slug_owners" TO causeway_app;
GRANT SELECT ON "slug_owners" TO causeway_system;

INSERT INTO "slug_owners" ("slug", "namespace", "org_id", "package_name")
SELECT DISTINCT ON (c.slug) c.slug, split_part(c.slug, ':', 1), p.org_id, p.name
FROM (
    SELECT slug, package_id FROM "nodes"
    UNION ALL SELECT slug, package_id FROM "credential_types"
    UNION ALL SELECT slug, package_id FROM "workflow_templates"
) AS c
JOIN "node_packages" AS p ON p.id = c.package_id
ORDER BY c.slug, p.id;
