import type { Database } from '#src/infra/postgres/database.ts';

/** A move between installations that keeps a tenant closed: nothing of it may be changed. */
export interface ClosingMove {
  /** True where the tenant arrives, and false where it leaves or has left. */
  arrives: boolean;
  /** Where it goes, as the operator of the source has said it. */
  movesTo: string | null;
}

/** Undefined while the tenant is open. */
export const readClosingMove = (database: Database, tenantId: string): Promise<ClosingMove | undefined> =>
  database.withTenant(tenantId, async (tx) => {
    const { rows } = await tx.query<ClosingMove>({
      name: 'closing-move',
      text: 'SELECT arrives, moves_to AS "movesTo" FROM closing_move()',
    });
    return rows[0];
  });
