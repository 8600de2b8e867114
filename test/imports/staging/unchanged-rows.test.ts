import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { makeWorkbook } from '#test/imports/archives.ts';
import { dieOnceFar, jobRow, releaseLease } from '#test/imports/dying-worker.ts';
import { type Job, makeProfile, makeTenant, ran, readRejects, upload } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { runBulkJob } from '#workers/imports/bulk-jobs.worker.ts';

let api: TestApp;
let tenant: string;
test.beforeEach(async ({ api: started }) => {
  api = started;
  tenant = await makeTenant(api);
  for (const target of ['stock', 'products', 'prices']) await makeProfile(api, { name: target, target }, tenant);
});

const many = 200;
/** Rows with a remark that makes the file long enough for its records to be read. */
const file = (rows: readonly (readonly [string, number])[]): string =>
  `sku,quantity,remark\n${rows.map(([sku, quantity]) => `${sku},${quantity},${'-'.repeat(100)}\n`).join('')}`;
const counts = (makeQuantity: (n: number) => number): [string, number][] =>
  Array.from({ length: many }, (_, n) => [`P-${n}`, makeQuantity(n)]);

const start = async (content: string | Buffer, profile = 'stock'): Promise<number> => {
  const body = { upload_id: await upload(api, content, tenant), profile };
  return (await callPlatform(api, 'POST', '/io/imports', { tenant, body })).body['id'] as never;
};

async function importHere(content: string | Buffer, profile = 'stock'): Promise<Job> {
  const id = await start(content, profile);
  const job = await ran(api, id, tenant);
  expect(job.rows_read).toBe(job.rows_written + job.rows_unchanged + job.rows_rejected);
  return job;
}

/** Products of which 1 each is on hand. */
async function fill(): Promise<void> {
  const products = Array.from({ length: many }, (_, n) => `P-${n},Product ${n}\n`).join('');
  expect(await importHere(`sku,name\n${products}`, 'products')).toMatchObject({ rows_written: many });
  expect(await importHere(file(counts(() => 1)))).toMatchObject({ rows_written: many });
}

const differences = async (): Promise<unknown[]> =>
  (
    await api.database.system.query(
      `SELECT sku FROM stock_balances b FULL JOIN (
         SELECT tenant_id, sku, location, sum(delta) AS on_hand FROM stock_movements GROUP BY 1, 2, 3
       ) AS ledger USING (tenant_id, sku, location) WHERE b.on_hand IS DISTINCT FROM ledger.on_hand`,
    )
  ).rows;

test('unchanged rows are not staged', async () => {
  await fill();
  const same = await importHere(file(counts(() => 1)));
  expect(same).toMatchObject({ rows_read: many, rows_written: 0, rows_unchanged: many });
  // The last row says that all are staged.
  expect(await jobRow(api, same.id)).toMatchObject({ staged: 1 });
  const half = await importHere(file(counts((n) => 1 + (n % 2))));
  expect(half).toMatchObject({ rows_written: many / 2, rows_unchanged: many / 2 });
  expect(await jobRow(api, half.id)).toMatchObject({ staged: many / 2 });
  expect(await differences()).toEqual([]);
});

const wide = '-'.repeat(100);
/** The same rows in other formats. */
const written: Record<string, (rows: readonly (readonly [string, number])[]) => string | Promise<Buffer>> = {
  xml: (rows) =>
    `<r>${rows.map(([sku, quantity]) => `<row sku="${sku}"><quantity>${quantity}</quantity><x>${wide}</x></row>`).join('\n')}</r>`,
  json: (rows) => JSON.stringify(rows.map(([sku, quantity]) => ({ sku, quantity, x: wide }))),
  xlsx: (rows) =>
    makeWorkbook(
      [['sku', 'quantity'] as const, ...rows]
        .map(([sku, quantity]) => {
          const value =
            typeof quantity === 'number' ? `<c><v>${quantity}</v></c>` : `<c t="str"><v>${quantity}</v></c>`;
          return `<row><c t="inlineStr"><is><t>${sku}</t></is></c>${value}</row>`;
        })
        .join(''),
    ),
};

test.for(Object.keys(written))('rows of %s that change nothing are not staged', async (format) => {
  await fill();
  const mapping = { sku: format === 'xml' ? '@sku' : 'sku', quantity: 'quantity' };
  const sheet = format === 'xlsx' ? { sheet: 'Stock' } : {};
  await makeProfile(api, { name: format, target: 'stock', format, mapping, ...sheet }, tenant);
  const importRows = async (rows: readonly (readonly [string, number])[]): Promise<Job> =>
    importHere((await written[format]?.(rows)) ?? '', format);
  const same = await importRows(counts(() => 1));
  expect(same).toMatchObject({ rows_read: many, rows_written: 0, rows_unchanged: many });
  expect(await jobRow(api, same.id)).toMatchObject({ staged: 1 });
  const half = await importRows([...counts((n) => 1 + (n % 2)), ['P-3', 2], ['P-4', -1]]);
  expect(half).toMatchObject({ rows_written: many / 2, rows_unchanged: many / 2, rows_rejected: 2 });
  expect(await differences()).toEqual([]);
});

/** The key of one record for each name. */
const keys: Record<string, (name: string) => Record<string, string>> = {
  products: (sku) => ({ sku }),
  organizations: (number) => ({ customer_number: number }),
  contacts: (name) => ({ customer_number: 'C-1', email: `${name}@example.com` }),
};

test.for(Object.keys(keys))('a row of %s is written that changes any one column', async (name) => {
  for (const target of ['organizations', 'contacts']) await makeProfile(api, { name: target, target }, tenant);
  await importHere('customer_number,name\nC-1,Customer\n', 'organizations');
  const { columns: listColumns, key } = api.services.imports.targets.get(name) as ImportTarget;
  const columns = listColumns({ mode: 'full' });
  const changing = columns.map((column) => column.name).filter((column) => !key.includes(column));
  /** A record for each of the columns that may change, and one that stays; `isChanged`: each differs in its column. */
  const makeFile = (isChanged: boolean): string => {
    const rows = [...changing, 'none'].map((record) =>
      columns.map((column) => {
        const isOther = isChanged && column.name === record;
        const value = column.cell.type === 'boolean' ? String(isOther) : isOther ? 'after' : 'before';
        return keys[name]?.(record)[column.name] ?? value;
      }),
    );
    return [columns.map((column) => column.name), ...rows].map((cells) => cells.join(',')).join('\n');
  };
  expect(await importHere(makeFile(false), name)).toMatchObject({ rows_written: changing.length + 1 });
  expect(await importHere(makeFile(true), name)).toMatchObject({ rows_written: changing.length, rows_unchanged: 1 });
});

test('a row is rejected if an earlier row names its record, changed or not', async () => {
  await fill();
  const rows = [...counts((n) => (n === 7 ? 3 : 1)), ['P-5', 9], ['P-7', 9], ['P-5', 1], ['P-9', 1]] as const;
  const job = await importHere(file(rows));
  expect(job).toMatchObject({ rows_written: 1, rows_unchanged: many - 1, rows_rejected: 4 });
  expect((await readRejects(api, job)).map((line) => line.replaceAll('"', ''))).toEqual([
    `${many + 2},location,main,Line 7 names the same record. Keep one of the two.`,
    `${many + 3},location,main,Line 9 names the same record. Keep one of the two.`,
    `${many + 4},location,main,Line 7 names the same record. Keep one of the two.`,
    `${many + 5},location,main,Line 11 names the same record. Keep one of the two.`,
  ]);
});

test('a count of a discontinued article is rejected, whatever is on hand, until it is sold again', async () => {
  await fill();
  await api.database.tenantQuery(tenant, {
    text: `DELETE FROM products WHERE tenant_id = $1 AND sku = 'P-3'`,
    values: [tenant],
  });
  const job = await importHere(file(counts(() => 1)));
  expect(job).toMatchObject({ rows_written: 0, rows_unchanged: many - 1, rows_rejected: 1 });
  expect(await readRejects(api, job)).toEqual(['5,sku,P-3,There is no product with this SKU.']);
  expect(await importHere('sku,name\nP-3,Sold again\n', 'products')).toMatchObject({ rows_written: 1 });
  const again = await importHere(file(counts(() => 1)));
  expect(again).toMatchObject({ rows_written: 0, rows_unchanged: many, rows_rejected: 0 });
  // The last row says that all are staged.
  expect(await jobRow(api, again.id)).toMatchObject({ staged: 1 });
});

test('a file with more faulty rows than the limit is staged as it is read', async () => {
  await fill();
  const faulty = 10_001;
  const job = await importHere(`${file(counts(() => 1))}${',main,1\n'.repeat(faulty)}`);
  expect(job).toMatchObject({ status: 'completed', rows_written: 0, rows_unchanged: many, rows_rejected: faulty });
  expect(await jobRow(api, job.id)).toMatchObject({ staged: many + faulty });
});

test.for(['reading', 'merging'])('rows are counted once where a worker dies while it is %s', async (phase) => {
  await fill();
  for (const isLost of [false, true]) {
    const changed = (n: number): number => (n % 4 === 0 ? (isLost ? 3 : 2) : 1);
    const id = await start(`${file(counts(changed))}P-1,2,again\n,1,nameless\nP-2,many,-\n`);
    await dieOnceFar(api, id, (job) => job.rows_read > 0 && job.phase === phase, tenant);
    const staged = (await jobRow(api, id)).staged as number;
    expect(staged).toBeLessThan(many);
    if (isLost) await api.database.system.query('DELETE FROM import_rows');
    await releaseLease(api, id, tenant);
    const job = await ran(api, id, tenant);
    expect(job).toMatchObject({
      status: 'completed',
      rows_read: many + 3,
      rows_written: many / 4,
      rows_unchanged: (many / 4) * 3,
      rows_rejected: 3,
    });
    expect(await readRejects(api, job)).toHaveLength(3);
  }
  expect(await differences()).toEqual([]);
});

test('a price is unchanged if its row writes it differently, and rejected if its currency differs', async () => {
  await fill();
  await api.graphql(
    'mutation { createPriceList(input: { code: "EU", name: "Europe", currency: "EUR" }) { __typename } }',
    {},
    { tenant },
  );
  const prices = (makeAmount: (n: number) => string, currency: string): string =>
    `list,sku,quantity_from,amount,currency,valid_from,valid_until,remark\n${Array.from(
      { length: many },
      (_, n) =>
        `EU,P-${n},${n % 2 ? '1.0' : ''},${makeAmount(n)},${currency},${n % 3 ? '' : '2026-01-01'},${n % 5 ? '' : '2027-01-01T00:00:00+01:00'},${'-'.repeat(100)}\n`,
    ).join('')}`;
  expect(
    await importHere(
      prices(() => '10.00', 'EUR'),
      'prices',
    ),
  ).toMatchObject({ rows_written: many });
  const same = await importHere(
    prices(() => '10.00', ''),
    'prices',
  );
  expect(same).toMatchObject({ rows_unchanged: many });
  expect(await jobRow(api, same.id)).toMatchObject({ staged: 1 });
  expect(
    await importHere(
      prices(() => '10.0', 'EUR'),
      'prices',
    ),
  ).toMatchObject({ rows_unchanged: many });
  expect(
    await importHere(
      prices(() => '10.00', 'USD'),
      'prices',
    ),
  ).toMatchObject({ rows_rejected: many });
  const some = await importHere(
    prices((n) => (n % 4 ? '10.00' : '11'), 'EUR'),
    'prices',
  );
  expect(some).toMatchObject({ rows_written: many / 4, rows_unchanged: (many / 4) * 3 });
  const ended = prices(() => '11', 'EUR').replace('2027-01-01T00:00:00+01:00', '2025-01-01');
  expect(await importHere(ended, 'prices')).toMatchObject({ rows_written: (many / 4) * 3, rows_rejected: 1 });
});

test('a job that is cancelled while its rows are compared stops soon, not at the end of the file', async () => {
  const id = await start(file(counts(() => 1)));
  const { imports } = api.services;
  const maxPieces = 60;
  let pieces = 0;
  async function* slowly(): AsyncGenerator<Buffer> {
    yield Buffer.from('sku,quantity\n');
    for (; pieces < maxPieces; pieces += 1) {
      if (pieces === 2) await callPlatform(api, 'POST', `/io/bulk-jobs/${id}/cancel`, { tenant });
      await new Promise((resolve) => setTimeout(resolve, 100));
      yield Buffer.from(`P-${pieces},1\n`);
    }
  }
  const storage = { ...imports.storage, stream: async () => Readable.from(slowly()) };
  await runBulkJob({ ...imports, storage }, { tenantId: tenant, bulkJobId: id });
  expect(await jobRow(api, id)).toMatchObject({ status: 'cancelled', rows_read: 0, staged: 0 });
  expect(pieces).toBeLessThan(maxPieces / 2);
});
