import type { TestApp } from '#test/setup/app.ts';

export interface AuditRow {
  tenant: string;
  org: string;
  sub: string | null;
  email: string | null;
  type: string;
  action: string;
}

/** Writes entries straight into the table, in order; answers their ids. */
export async function writeEntries({ database }: Pick<TestApp, 'database'>, rows: AuditRow[]): Promise<number[]> {
  const column = (read: (row: AuditRow) => unknown) => rows.map(read);
  const { rows: made } = await database.system.query<{ id: number }>(
    `INSERT INTO audit_entries (tenant_id, org_id, actor_sub, actor_email, via_system, channel, action, resource_type, resource_id)
     SELECT tenant, org, sub, email, sub IS NULL, 'api', action, type, '1'
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY
       AS t(tenant, org, sub, email, type, action, ord) ORDER BY ord RETURNING id`,
    [
      column((row) => row.tenant),
      column((row) => row.org),
      column((row) => row.sub),
      column((row) => row.email),
      column((row) => row.type),
      column((row) => row.action),
    ],
  );
  return made.map(({ id }) => id);
}
