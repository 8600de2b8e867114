-- The first page of a run's steps and a step's log lines are found without reading the others of the run.
CREATE INDEX CONCURRENTLY "steps_tenant_id_run_id_started_at_idx" ON "steps" ("tenant_id", "run_id", "started_at");
CREATE INDEX CONCURRENTLY "run_log_lines_tenant_id_run_id_step_path_attempt_id_idx" ON "run_log_lines" ("tenant_id", "run_id", "step_path", "attempt", "id");
