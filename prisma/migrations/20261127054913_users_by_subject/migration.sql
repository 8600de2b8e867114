-- The audit log names users by the subject of their token, without its issuer.
CREATE INDEX CONCURRENTLY "users_sub_idx" ON "users" ("sub");
