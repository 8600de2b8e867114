import { z } from 'zod';

// Any text is a valid filter; an unknown value matches nothing. Only NUL is refused, which Postgres cannot store.
const text = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[^\0]*$/, 'Text must not hold NUL characters.')
    .nullish();

/** Filters of a tenant's audit log, which must all match. */
export const auditFilter = z.object({
  sub: text(255),
  resourceType: text(64),
  action: text(64),
});

/** Narrows the audit log of all tenants. */
export const adminAuditFilter = auditFilter.extend({
  orgId: text(63),
  tenantId: text(63),
  email: text(320),
});

export type AuditFilter = z.output<typeof auditFilter>;
export type AdminAuditFilter = z.output<typeof adminAuditFilter>;
