DROP INDEX CONCURRENTLY "alerts_states_idx";
