import { literalPattern } from '#src/infra/postgres/lists/sql-parameters.ts';

/** The tenant's keys whose name or prefix contains the text, in any case, as Prisma takes it. */
export const keyConditions = (tenantId: string, search: string | null | undefined) => {
  if (!search) return { tenantId };
  const text = { contains: literalPattern(search), mode: 'insensitive' as const };
  return { tenantId, OR: [{ name: text }, { prefix: text }] };
};
