import { z } from 'zod';
import { globalId, graphTypes } from '#src/infra/graph-types.ts';

// Any text is a valid filter; an unknown value matches nothing. Only NUL is refused, because Postgres cannot store it.
const text = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[^\0]*$/, 'Text must not hold NUL characters.')
    .nullish();

const filters = {
  sub: text(255).describe('Subject of the token that acted.'),
  resourceType: text(64).describe('E.g. `workflow`.'),
  action: text(64).describe('E.g. `create`.'),
  since: z.date().nullish().describe('Written at this instant or later.'),
  until: z.date().nullish().describe('Written before this instant.'),
};

/** Filters of a tenant's audit log. */
export const auditFilter = z
  .object({
    ...filters,
    subjectId: globalId
      .nullish()
      .describe('The global id of an object: its history. An object whose type has no entries matches nothing.'),
  })
  .register(graphTypes, {
    type: 'AuditLogFilter',
    description: 'All given filters must match; what nobody wrote matches nothing.',
  });

/** Filters of the audit log of all tenants. */
export const adminAuditFilter = z
  .object({
    ...filters,
    orgId: text(63).describe('The slug of an organisation.'),
    tenantId: text(63).describe('The slug of a tenant.'),
    email: text(320).describe('Address in the token that acted, as it was then.'),
  })
  .register(graphTypes, {
    type: 'AdminAuditLogFilter',
    description: 'All given filters must match; none is needed.',
  });

export type AuditFilter = z.output<typeof auditFilter>;
export type AdminAuditFilter = z.output<typeof adminAuditFilter>;
