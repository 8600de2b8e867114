import pg from 'pg';
import { expect, vi } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { importFile, makeProfile, startImportWorker } from './import-file.ts';

const rows = 4_000;
const fileOf = (header: string, line: (n: number) => string): string =>
  `${header}\n${Array.from({ length: rows }, (_, n) => line(n)).join('\n')}\n`;

test('stock is counted by reading each balance a few times, where Postgres expects none', async ({ api }) => {
  await startImportWorker(api);
  await makeProfile(api, { name: 'products', target: 'products' });
  await makeProfile(api, { name: 'stock' });
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
        `SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read AS read FROM pg_stat_user_tables WHERE relname = 'stock_balances'`,
      );
      return Number(found.rows[0]?.read);
    };
    // As after an import that was rolled back: pages without rows.
    await admin.query(`UPDATE pg_class SET reltuples = 1, relpages = 100000 WHERE relname = 'stock_balances'`);
    const before = await read();
    for (const quantity of [1, 2]) {
      const job = await importFile(
        api,
        fileOf('sku,quantity', (n) => `S-${n},${quantity}`),
        'stock',
      );
      expect(job).toMatchObject({ status: 'completed', error: null, rows_written: rows });
    }
    // What a transaction read is reported up to ten seconds after it.
    await vi.waitFor(async () => expect(await read()).toBeGreaterThan(before + 4 * rows), 20_000);
    expect(await read()).toBeLessThan(before + 20 * rows);
  } finally {
    await admin.end();
  }
});
