import type { Database } from '#src/infra/postgres/database.ts';
import { resourceTypes } from './audited.ts';

/** What entries about one object have in common. */
export interface AuditSubject {
  resourceTypes: string[];
  resourceId: string;
}

/** The subject that a global id names; undefined without one. An id that is none of the graph's has no entries. */
export function readSubject(globalId: string | null | undefined): AuditSubject | undefined {
  if (globalId == null) return undefined;
  const text = Buffer.from(globalId, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return { resourceTypes: resourceTypes(text.slice(0, Math.max(colon, 0))), resourceId: text.slice(colon + 1) };
}

/** Ids between which the entries of a time lie, both exclusive; undefined where there is no bound. */
export interface IdBounds {
  after?: number | undefined;
  before?: number | undefined;
}

interface Times {
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/**
 * Ids grow with time, and every index of entries ends with the id, so bounds on it spare a scan what is older or newer. An entry has the
 * time of the start of its transaction and may get its id up to the end, so the bounds are a day wider than the times: no transaction
 * lasts that long. Reads as the system, because one sequence numbers the entries of all tenants, and a quiet tenant has none near by.
 */
export async function findIdBounds({ system }: Database, { since, until }: Times): Promise<IdBounds> {
  if (!since && !until) return {};
  const { rows } = await system.query<{ after: number | null; before: number | null }>({
    name: 'audit-id-bounds',
    text: `SELECT
      (SELECT id FROM audit_entries WHERE created_at < $1::timestamptz - interval '1 day' ORDER BY created_at DESC LIMIT 1) AS after,
      (SELECT id FROM audit_entries WHERE created_at >= $2::timestamptz + interval '1 day' ORDER BY created_at LIMIT 1) AS before`,
    values: [since ?? null, until ?? null],
  });
  return { after: rows[0]?.after ?? undefined, before: rows[0]?.before ?? undefined };
}
