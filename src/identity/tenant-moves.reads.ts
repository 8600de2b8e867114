import type { Database } from '#src/infra/postgres/database.ts';

/** A move between installations, during which the tenant is closed and cannot be changed. */
export interface ClosingMove {
  /** True in the installation where the tenant arrives, false in the one that it leaves or has left. */
  arrives: boolean;
  /** The target, as the source's operator named it. */
  movesTo: string | null;
}

/** Reads the move that keeps a tenant closed; undefined while the tenant is open. */
export const readClosingMove = (database: Database, tenantId: string): Promise<ClosingMove | undefined> =>
  database.withTenant(tenantId, async (tx) => {
    const { rows } = await tx.query<ClosingMove>({
      name: 'closing-move',
      text: 'SELECT arrives, moves_to AS "movesTo" FROM closing_move()',
    });
    return rows[0];
  });
