import type { Database } from '#src/infra/postgres/database.ts';
import { contains, SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { rolesFor } from '#src/infra/roles.ts';

/** The most people that one search answers. */
export const maxPeople = 50;

export interface Person {
  id: number;
  /** Their name, without one the address, without one the subject. */
  name: string;
  email: string | null;
}

/** The people who have had a role in the tenant with their newest token, by name; those of a search by a part of name or address. */
export async function findPeople(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  search?: string | null,
): Promise<Person[]> {
  const parameters = new SqlParameters();
  const where = [`t.tenant_id = ${parameters.add(tenantId)}`, `t.roles && ${parameters.add(rolesFor.member)}`];
  if (search) where.push(contains(['u.name', 'u.email', 'u.sub'], search, parameters));
  return tenantQuery<Person>(tenantId, {
    text: `SELECT u.id, coalesce(u.name, u.email, u.sub) AS name, u.email FROM tenant_users t JOIN users u ON u.id = t.user_id
      WHERE ${where.join(' AND ')} ORDER BY lower(coalesce(u.name, u.email, u.sub)), u.id LIMIT ${maxPeople}`,
    values: parameters.values,
  });
}
