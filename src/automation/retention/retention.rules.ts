/** How many days a tenant's history is kept; null keeps it forever. */
export interface Retention {
  runDays: number | null;
  stepDays: number | null;
  logDays: number | null;
  auditDays: number | null;
  /** Null when the tenant uses the defaults. */
  updatedAt: Date | null;
}

/** The defaults. The database's function `kept_days` has the same values. */
export const defaultRetention = { runDays: 90, stepDays: 90, logDays: 30, auditDays: 365, updatedAt: null };
