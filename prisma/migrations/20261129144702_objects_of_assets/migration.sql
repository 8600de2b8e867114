-- Before an object is deleted, whoever else refers to it is looked up by its key.
CREATE INDEX CONCURRENTLY "extension_assets_storage_key_idx" ON "extension_assets" ("storage_key");
