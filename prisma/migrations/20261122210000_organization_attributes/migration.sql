-- Organizations carry attributes, as products and orders do.
ALTER TABLE "organizations" ADD COLUMN "attributes" JSONB NOT NULL DEFAULT '{}';
CALL index_attributes_of('organizations', 'organization');
