import type { Database } from '#src/infra/postgres/database.ts';
import type { TextPage } from '#src/infra/postgres/keyset.ts';
import { SqlParameters } from '#src/infra/postgres/sql-parameters.ts';

/** What packages bring and is shown in its latest version alone. */
type Table = 'workflow_templates' | 'credential_types';

/** Ids of the latest version of each slug of one page. */
export async function latestVersions(
  { global }: Pick<Database, 'global'>,
  table: Table,
  { take, skip, direction, beyond: { gt, lt } }: TextPage,
): Promise<bigint[]> {
  const parameters = new SqlParameters();
  const conditions = ['true'];
  if (gt !== undefined) conditions.push(`slug > ${parameters.add(gt)}`);
  if (lt !== undefined) conditions.push(`slug < ${parameters.add(lt)}`);
  const rows = await global.$queryRawUnsafe<{ id: bigint }[]>(
    `SELECT DISTINCT ON (slug) id FROM ${table} WHERE ${conditions.join(' AND ')}
     ORDER BY slug ${direction}, version_order DESC, version DESC LIMIT ${parameters.add(take)} OFFSET ${parameters.add(skip)}`,
    ...parameters.values,
  );
  return rows.map(({ id }) => id);
}

/** How many slugs there are, up to `most`. */
export async function countSlugs({ global }: Pick<Database, 'global'>, table: Table, most: number): Promise<number> {
  const [row] = await global.$queryRawUnsafe<{ count: bigint }[]>(
    `SELECT count(*) FROM (SELECT DISTINCT slug FROM ${table} LIMIT $1) AS slugs`,
    most,
  );
  return Number(row?.count);
}
