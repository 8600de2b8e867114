import { literalPattern } from '#src/infra/postgres/lists/sql-parameters.ts';

interface ThemeFilter {
  vendor: string | null | undefined;
  name: string | null | undefined;
  /** Part of the title, the vendor or the name, in any case. */
  search: string | null | undefined;
}

/** The themes that a filter matches, as Prisma takes it. */
export function themeConditions({ vendor, name, search }: ThemeFilter) {
  const text = search ? { contains: literalPattern(search), mode: 'insensitive' as const } : undefined;
  return {
    ...(vendor != null && { vendor }),
    ...(name != null && { name }),
    ...(text && { OR: [{ title: text }, { vendor: text }, { name: text }] }),
  };
}
