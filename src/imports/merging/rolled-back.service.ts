import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** Thrown to roll a transaction back; it carries the result that the work would have had. */
class RolledBack extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super('What was tried is rolled back.');
    this.result = result;
  }
}

/** Does work in a transaction that is rolled back, and returns its result. */
export const rolledBack = <T>(
  { database }: Pick<ImportDeps, 'database'>,
  tenantId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  database
    .withTenantSql(tenantId, async (tx): Promise<T> => {
      throw new RolledBack(await work(tx));
    })
    .catch((error: unknown) => {
      if (error instanceof RolledBack) return error.result as T;
      throw error;
    });
