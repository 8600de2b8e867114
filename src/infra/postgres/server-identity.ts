/**
 * An expression that tells one server from another, also from its own standby: when it was started, to the microsecond. What a process
 * remembers of one server may be unknown to the next, since a failover can lose the last commits.
 */
export const serverSql = `extract(epoch FROM pg_postmaster_start_time())::text`;
