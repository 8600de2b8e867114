import type { PrismaClient } from '#prisma/client.ts';
import type { Deps } from '#src/infra/deps.ts';
import { literalPattern } from '#src/infra/postgres/lists/sql-parameters.ts';

type Tables = Pick<PrismaClient, 'extension' | 'extensionAsset'>;

/** The tables with the versions that a tenant sees, its own and published ones; with null, as operators do, those of every tenant. */
export const versionsSeenBy = ({ database }: Pick<Deps, 'database'>, tenantId: string | null): Tables =>
  // The tenant's client has the same methods, under types that cannot be compared with those of the other.
  tenantId === null ? database.global : (database.reader(tenantId) as unknown as Tables);

/** The most versions of an extension that are listed with it. */
export const maxVersions = 100;

/**
 * The ids of the newest versions of each `<vendor>/<name>` that a tenant sees, or operators with null. One statement for a page of
 * extensions.
 */
export async function listVersionIds(
  { database }: Pick<Deps, 'database'>,
  tenantId: string | null,
  handles: readonly string[],
): Promise<bigint[]> {
  const names = handles.map((handle) => handle.split('/'));
  const { rows } = await database.withTenantSql(tenantId, (tx) =>
    tx.query<{ id: number }>(
      `SELECT e.id FROM unnest($1::text[], $2::text[]) AS n (vendor, name)
       CROSS JOIN LATERAL (
         SELECT id FROM extensions WHERE vendor = n.vendor AND name = n.name ORDER BY id DESC LIMIT ${maxVersions}
       ) e`,
      [names.map(([vendor]) => vendor), names.map(([, name]) => name)],
    ),
  );
  return rows.map(({ id }) => BigInt(id));
}

interface ExtensionFilter {
  /** `<vendor>/<name>` */
  theme?: string | null | undefined;
  /** Part of the title, the vendor or the name, in any case. */
  search?: string | null | undefined;
}

/** The versions that a filter matches, as Prisma takes it. Members beside `theme` and `search` are compared as they are. */
export function extensionConditions(filter: ExtensionFilter | null | undefined) {
  const { theme: targetTheme, search, ...given } = filter ?? {};
  const equal = Object.fromEntries(Object.entries({ ...given, targetTheme }).filter(([, value]) => value != null));
  if (!search) return equal;
  const text = { contains: literalPattern(search), mode: 'insensitive' as const };
  return { ...equal, OR: [{ title: text }, { vendor: text }, { name: text }] };
}
