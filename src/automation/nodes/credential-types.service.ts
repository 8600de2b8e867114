import type { Deps } from '#src/platform/deps.ts';

const maxTypes = 1_000;

/** Ids of the highest version of every credential type, by slug. */
export async function latestCredentialTypes({ database }: Pick<Deps, 'database'>): Promise<bigint[]> {
  const rows = await database.global.$queryRaw<{ id: bigint }[]>`
    SELECT DISTINCT ON (slug) id FROM credential_types ORDER BY slug, version_order DESC, version DESC LIMIT ${maxTypes}`;
  return rows.map(({ id }) => id);
}
