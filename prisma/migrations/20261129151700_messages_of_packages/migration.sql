-- The messages that the systems of a package send, as their manifests. They are few and read together.
ALTER TABLE "node_packages" ADD COLUMN "messages" jsonb NOT NULL DEFAULT '[]';
