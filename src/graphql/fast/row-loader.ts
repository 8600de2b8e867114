import { type Context, inTenant } from '#src/graphql/context.ts';
import type { TenantReader } from '#src/infra/postgres/tenant-reader.ts';
import { createFieldLoader } from './field-loader.ts';

interface RowsById {
  where: { tenantId: string; id: { in: bigint[] } };
}

/**
 * Loads rows of the tenant by their ids, for a field from each object of a list to an object of another type: one statement for all of
 * them. `find` is `findMany` of that type; `asked` is the `query` argument of the field, to be spread, which selects what the document asks
 * for.
 */
export const createRowLoader = <Row extends { id: bigint }>(
  find: (db: TenantReader, rows: RowsById) => Promise<Row[]>,
) =>
  createFieldLoader(async (context: Context, ids: bigint[], asked: object) => {
    const { db, tenantId } = inTenant(context);
    const rows = await find(db, { ...asked, where: { tenantId, id: { in: ids } } });
    return new Map(rows.map((row) => [row.id, row]));
  });
