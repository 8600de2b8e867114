-- New dead letters, until a pass has added them to the alerts of their tenant's recipients.
CREATE INDEX CONCURRENTLY "dead_letters_to_note_idx" ON "dead_letters" ("tenant_id", "id") WHERE NOT "is_noted";
