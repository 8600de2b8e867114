-- Alerts that end when the state that they are about ends. All kinds but those of failures are of states.
CREATE INDEX CONCURRENTLY "alerts_of_states_idx" ON "alerts" ("kind") WHERE "kind" NOT IN ('failed_runs', 'dead_letters');
