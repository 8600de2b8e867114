import pg from 'pg';
import { expect } from 'vitest';
import { importFile, makeProfile } from '#test/imports/import-file.ts';
import { test } from '#test/setup/app-test.ts';
import { countRowsAtEnd } from '#test/setup/counted-rows.ts';

const rows = 2_000;
const makeFile = (header: string, line: (n: number) => string): string =>
  `${header}\n${Array.from({ length: rows }, (_, n) => line(n)).join('\n')}\n`;

test.for([
  { target: 'stock', table: 'stock_balances', header: 'sku,quantity', end: '', least: 4 },
  { target: 'prices', table: 'prices', header: 'sku,amount,list', end: ',EU', least: 2 },
])(
  '$target are changed by reading each row of $table a few times, where Postgres expects none',
  async ({ target, table, header, end, least }, { ownApi: api }) => {
    await makeProfile(api, { name: 'products', target: 'products' });
    await makeProfile(api, { name: target, target });
    await api.graphql(
      'mutation { createPriceList(input: { code: "EU", name: "Europe", currency: "EUR" }) { __typename } }',
    );
    await importFile(
      api,
      makeFile('sku,name', (n) => `S-${n},x`),
      'products',
    );
    const admin = new pg.Client({ connectionString: api.databaseUrl });
    await admin.connect();
    // As after an import that was rolled back: pages without rows.
    await admin.query('UPDATE pg_class SET reltuples = 1, relpages = 100000 WHERE relname = $1', [table]);
    await admin.end();
    for (const value of [1, 2]) {
      const job = await importFile(
        api,
        makeFile(header, (n) => `S-${n},${value}${end}`),
        target,
      );
      expect(job).toMatchObject({ status: 'completed', error: null, rows_written: rows });
    }
    const { read } = await countRowsAtEnd(api, `^${table}$`);
    expect(read).toBeGreaterThanOrEqual(least * rows);
    expect(read).toBeLessThan(20 * rows);
  },
);
