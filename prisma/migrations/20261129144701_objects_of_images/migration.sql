-- Before an object is deleted, whoever else refers to it is looked up by its key.
CREATE INDEX CONCURRENTLY "package_images_storage_key_idx" ON "package_images" ("storage_key");
