-- What a tenant adds to its products, orders and organizations.
CREATE TYPE "attribute_target" AS ENUM ('product', 'order', 'organization');
CREATE TYPE "attribute_type" AS ENUM ('text', 'number', 'boolean', 'date', 'select', 'json');

CREATE TABLE "attributes" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "target" "attribute_target" NOT NULL,
    "code" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "type" "attribute_type" NOT NULL,
    "options" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "required" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "attributes_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE UNIQUE INDEX "attributes_tenant_id_target_code_key" ON "attributes" ("tenant_id", "target", "code");

-- The values by their hash, which lists find them by. A GIN index on the values themselves would serve nobody: its operators
-- are not leakproof, so row-level security keeps them from being tried before a row's tenant is checked.
CREATE TABLE "attribute_values" (
    "tenant_id" TEXT NOT NULL,
    "target" "attribute_target" NOT NULL,
    "code" TEXT NOT NULL,
    "hash" BIGINT NOT NULL,
    "resource_id" BIGINT NOT NULL,

    CONSTRAINT "attribute_values_pkey" PRIMARY KEY ("tenant_id", "target", "code", "hash", "resource_id")
);

ALTER TABLE "attributes" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "attributes" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "attributes" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "attributes" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "attributes" TO causeway_app;
GRANT USAGE ON SEQUENCE "attributes_id_seq" TO causeway_app;

ALTER TABLE "attribute_values" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "attribute_values" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "attribute_values" TO causeway_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON "attribute_values" TO causeway_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE ON "attribute_values" TO causeway_app;

CREATE FUNCTION attribute_hashes(attributes jsonb) RETURNS TABLE (code text, hash bigint)
  LANGUAGE sql IMMUTABLE AS $$ SELECT key, hashtextextended(value, 0) FROM jsonb_each_text(attributes) $$;

-- Deletes value by value, by the whole key: a join is planned by statistics, which a table that has just been filled lacks.
CREATE FUNCTION index_attributes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_value record;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    FOR old_value IN SELECT * FROM attribute_hashes(OLD.attributes) LOOP
      DELETE FROM attribute_values
      WHERE tenant_id = OLD.tenant_id AND target = TG_ARGV[0]::attribute_target
        AND code = old_value.code AND hash = old_value.hash AND resource_id = OLD.id;
    END LOOP;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO attribute_values (tenant_id, target, code, hash, resource_id)
    SELECT NEW.tenant_id, TG_ARGV[0]::attribute_target, code, hash, NEW.id FROM attribute_hashes(NEW.attributes);
  END IF;
  RETURN NULL;
END $$;

-- Has a table's column `attributes` indexed. A row without attributes costs nothing.
CREATE PROCEDURE index_attributes_of(carrier regclass, target attribute_target) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER attributes_inserted AFTER INSERT ON %s FOR EACH ROW
    WHEN (NEW.attributes <> ''{}'') EXECUTE FUNCTION index_attributes(%L)', carrier, target);
  EXECUTE format('CREATE TRIGGER attributes_updated AFTER UPDATE OF attributes ON %s FOR EACH ROW
    WHEN (OLD.attributes <> NEW.attributes) EXECUTE FUNCTION index_attributes(%L)', carrier, target);
  EXECUTE format('CREATE TRIGGER attributes_deleted AFTER DELETE ON %s FOR EACH ROW
    WHEN (OLD.attributes <> ''{}'') EXECUTE FUNCTION index_attributes(%L)', carrier, target);
END $$;

ALTER TABLE "products" ADD COLUMN "attributes" JSONB NOT NULL DEFAULT '{}';
CALL index_attributes_of('products', 'product');
