import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { type OrderedList, pageOfList, type Place, type PlacedRow } from '#src/infra/postgres/lists/ordered-list.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, poolSize: 1 });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

/** Twelve rows of one instant. Their columns are called as most tables call theirs. */
const rows = `(SELECT n::bigint AS id, '2026-01-01T00:00:00Z'::timestamptz AS created_at FROM generate_series(1, 12) n) AS made`;
const list: OrderedList<'CREATED_AT' | 'ID', object> = {
  from: rows,
  id: { sql: 'id', type: 'bigint' },
  orders: { CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }], ID: [] },
  where: () => [],
};

async function walk(field: 'CREATED_AT' | 'ID', direction: 'ASC' | 'DESC'): Promise<number[]> {
  const seen: number[] = [];
  let after: Place | undefined;
  do {
    const page = { take: 5, skip: 0, backwards: false, after, before: undefined };
    const found: PlacedRow[] = await database.tenantQuery<PlacedRow & Record<string, unknown>>(
      'acme-shop',
      pageOfList(list, {}, { field, direction }, page),
    );
    seen.push(...found.map(({ rowId }) => Number(rowId)));
    after = found.at(-1)?.place;
  } while (after && seen.length < 100);
  return seen;
}

test.each(['CREATED_AT', 'ID'] as const)(
  'rows of one instant are walked in the order of their ids, by %s',
  async (field) => {
    const ids = Array.from({ length: 12 }, (_, n) => n + 1);
    expect(await walk(field, 'ASC')).toEqual(ids);
    expect(await walk(field, 'DESC')).toEqual(ids.toReversed());
  },
);
