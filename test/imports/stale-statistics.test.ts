import pg from 'pg';
import { expect, vi } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { importFile, makeProfile, startImportWorker } from './import-file.ts';

const rows = 4_000;
const fileOf = (header: string, line: (n: number) => string): string =>
  `${header}\n${Array.from({ length: rows }, (_, n) => line(n)).join('\n')}\n`;

test.for([
  { target: 'stock', table: 'stock_balances', header: 'sku,quantity', end: '', least: 4 },
  { target: 'prices', table: 'prices', header: 'sku,amount,list', end: ',EU', least: 2 },
])(
  '$target are changed by reading each row of $table a few times, where Postgres expects none',
  async ({ target, table, header, end, least }, { ownApi: api }) => {
    await startImportWorker(api);
    await makeProfile(api, { name: 'products', target: 'products' });
    await makeProfile(api, { name: target, target });
    await api.graphql(
      'mutation { createPriceList(input: { code: "EU", name: "Europe", currency: "EUR" }) { __typename } }',
    );
    await importFile(
      api,
      fileOf('sku,name', (n) => `S-${n},x`),
      'products',
    );
    const admin = new pg.Client({ connectionString: api.databaseUrl });
    await admin.connect();
    try {
      const read = async (): Promise<number> => {
        const found = await admin.query<{ read: string }>(
          'SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read AS read FROM pg_stat_user_tables WHERE relname = $1',
          [table],
        );
        return Number(found.rows[0]?.read);
      };
      // As after an import that was rolled back: pages without rows.
      await admin.query('UPDATE pg_class SET reltuples = 1, relpages = 100000 WHERE relname = $1', [table]);
      const before = await read();
      for (const value of [1, 2]) {
        const job = await importFile(
          api,
          fileOf(header, (n) => `S-${n},${value}${end}`),
          target,
        );
        expect(job).toMatchObject({ status: 'completed', error: null, rows_written: rows });
      }
      // What a transaction read is reported up to ten seconds after it.
      await vi.waitFor(async () => expect(await read()).toBeGreaterThanOrEqual(before + least * rows), 20_000);
      expect(await read()).toBeLessThan(before + 20 * rows);
    } finally {
      await admin.end();
    }
  },
);
