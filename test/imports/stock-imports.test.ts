import { describe, expect } from 'vitest';
import { stockChanged } from '#src/commerce/stock/stock.declarations.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { importFile, makeProfile, readRejects, tellOfImports } from './import-file.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await makeProfile(api, { name: 'counts' });
  await makeProfile(api, { name: 'changes', mode: 'delta' });
  await makeProfile(api, { name: 'all there is', absent: 'zero' });
  await makeProfile(api, { name: 'what can be sold', quantity_basis: 'available' });
});

async function sell(...skus: string[]): Promise<void> {
  for (const sku of skus)
    await api.graphql('mutation ($input: CreateProductInput!) { createProduct(input: $input) { __typename } }', {
      input: { sku, name: sku },
    });
}

const book = (sku: string, kind: string, quantity: string, location = 'main') =>
  callPlatform(api, 'POST', '/inventories/movements', {
    body: { sku, kind, quantity, location, reference: `${kind}-${sku}-${location}-${quantity}` },
  });

const onHand = async (sku: string, location = 'main'): Promise<string | undefined> => {
  const { body } = await callPlatform(api, 'GET', `/inventories/stock/${sku}`);
  const locations = body['locations'] as unknown as { location: string; on_hand: string }[];
  return locations.find((each) => each.location === location)?.on_hand;
};

const references = async (sku: string): Promise<string[]> => {
  const { body } = await callPlatform(api, 'GET', `/inventories/movements?sku=${sku}`);
  return (body['items'] as unknown as { reference: string }[]).map(({ reference }) => reference).toReversed();
};

/** Balances that the ledger does not add up to. */
async function differences(): Promise<unknown[]> {
  const { rows } = await api.database.system.query(
    `SELECT sku, location FROM stock_balances b FULL JOIN (
       SELECT tenant_id, sku, location, sum(delta) AS on_hand, sum(reserved_delta) AS reserved FROM stock_movements GROUP BY 1, 2, 3
     ) AS ledger USING (tenant_id, sku, location)
     WHERE (b.on_hand, b.reserved) IS DISTINCT FROM (ledger.on_hand, ledger.reserved)`,
  );
  return rows;
}

describe('a file of counted stock', () => {
  test('is booked as counts, and changes nothing if the counts are the same', async () => {
    await sell('COUNT-1', 'COUNT-2');
    await book('COUNT-1', 'receipt', '5');
    const file = 'sku,location,quantity\nCOUNT-1,main,8\nCOUNT-2,,3.50\nCOUNT-2,annex,0\n';
    const job = await importFile(api, file, 'counts');
    expect(job).toMatchObject({
      status: 'completed',
      rows_read: 3,
      rows_written: 2,
      rows_unchanged: 1,
      rows_rejected: 0,
      rejects_url: null,
      progress: 1,
      error: null,
    });
    expect([await onHand('COUNT-1'), await onHand('COUNT-2'), await onHand('COUNT-2', 'annex')]).toEqual([
      '8',
      '3.5',
      undefined,
    ]);
    expect(await references('COUNT-1')).toEqual(['receipt-COUNT-1-main-5', `import:${job.id}:2`]);
    await tellOfImports(api);
    const told = async (id: number) =>
      (
        await api.database.system.query(
          `SELECT topic, data FROM outbox_events WHERE data -> 'movement' ->> 'reference' = $1`,
          [`import:${id}:2`],
        )
      ).rows;
    // Nobody wanted to know.
    expect(await told(job.id)).toEqual([]);
    const again = await importFile(api, file, 'counts');
    expect(again).toMatchObject({ rows_written: 0, rows_unchanged: 3 });
    const body = { name: 'ERP', url: 'https://erp.example.com/hooks', topics: ['stock.changed'] };
    const { body: destination } = await callPlatform(api, 'POST', '/webhooks/destinations', { body });
    await book('COUNT-1', 'reserve', '2.50');
    const changed = await importFile(api, file.replace('main,8', 'main,9.0'), 'counts');
    await tellOfImports(api);
    await callPlatform(api, 'DELETE', `/webhooks/destinations/${destination['id']}`);
    expect(await told(changed.id)).toEqual([
      {
        topic: 'stock.changed',
        data: stockChanged.data.parse({
          sku: 'COUNT-1',
          location: 'main',
          on_hand: '9',
          reserved: '2.5',
          available: '6.5',
          movement: (await callPlatform(api, 'GET', '/inventories/movements?sku=COUNT-1&limit=1')).body['items']?.[0],
        }),
      },
    ]);
    expect(await differences()).toEqual([]);
  });

  test('gets its faulty rows rejected with line, column, value and reason, and the others merged', async () => {
    await sell('GOOD-1', 'GOOD-2');
    const file = [
      'sku,quantity,note',
      'GOOD-1,1,fine',
      'GOOD-2,"1.234,56",a comma',
      '"GOOD-2",-1,"two',
      'lines"',
      'NOBODY-SELLS,1,x',
      ',1e3,x',
      'GOOD-1,2,again',
      'GOOD-2',
      'GOOD-2,true,x',
    ].join('\r\n');
    const job = await importFile(api, file, 'counts');
    expect(job).toMatchObject({ status: 'completed', rows_read: 8, rows_written: 1, rows_rejected: 7 });
    expect(await readRejects(api, job)).toEqual([
      '3,quantity,"1.234,56","Use digits with at most one point, such as 12.50."',
      '4,quantity,-1,Use 0 or more.',
      '6,sku,NOBODY-SELLS,There is no product with this SKU.',
      '7,sku,,A value is needed.',
      '7,quantity,1e3,"Use digits with at most one point, such as 12.50."',
      '8,location,main,Line 2 names the same record. Keep one of the two.',
      '9,,,The row has 1 cells and the header has 3.',
      '10,quantity,true,"Use digits with at most one point, such as 12.50."',
    ]);
    expect(await onHand('GOOD-1')).toBe('1');
    expect(await onHand('GOOD-2')).toBeUndefined();
  });

  test('zeroes articles that it does not name, at the locations that it names, if the profile asks for it', async () => {
    await sell('NAMED', 'ABSENT', 'REJECTED', 'ELSEWHERE');
    for (const sku of ['NAMED', 'ABSENT', 'REJECTED']) await book(sku, 'receipt', '4', 'hall');
    await book('ELSEWHERE', 'receipt', '4', 'yard');
    const job = await importFile(api, 'sku,location,quantity\nNAMED,hall,4\nREJECTED,hall,many\n', 'all there is');
    expect(job).toMatchObject({ rows_read: 2, rows_written: 0, rows_unchanged: 1, rows_rejected: 1 });
    expect([
      await onHand('NAMED', 'hall'),
      await onHand('ABSENT', 'hall'),
      await onHand('REJECTED', 'hall'),
      await onHand('ELSEWHERE', 'yard'),
    ]).toEqual(['4', '0', '4', '4']);
    expect(await references('ABSENT')).toEqual(['receipt-ABSENT-hall-4', `import:${job.id}:absent:hall:ABSENT`]);
    const empty = await importFile(api, 'sku,location,quantity\n', 'all there is');
    expect(empty).toMatchObject({ status: 'completed', rows_read: 0 });
    expect(await onHand('NAMED', 'hall')).toBe('4');
    expect(await differences()).toEqual([]);
  });

  test('adds reservations to its counts if it states available stock', async () => {
    await sell('HELD');
    await book('HELD', 'receipt', '10');
    await book('HELD', 'reserve', '3');
    expect(await importFile(api, 'sku,quantity\nHELD,7\n', 'what can be sold')).toMatchObject({ rows_unchanged: 1 });
    expect(await importFile(api, 'sku,quantity\nHELD,5\n', 'what can be sold')).toMatchObject({ rows_written: 1 });
    const { body } = await callPlatform(api, 'GET', '/inventories/stock/HELD');
    expect(body).toMatchObject({ on_hand: '8', reserved: '3', available: '5' });
  });

  test('keeps movements after its moment on top of its counts', async () => {
    await sell('SINCE');
    await book('SINCE', 'receipt', '10');
    const asOf = new Date(Date.now() - 3_600_000).toISOString();
    await makeProfile(api, { name: 'an hour ago', as_of: asOf });
    expect(await importFile(api, 'sku,quantity\nSINCE,4\n', 'an hour ago')).toMatchObject({ rows_written: 1 });
    expect(await onHand('SINCE')).toBe('14');
  });

  test('publishes that an article ran low', async () => {
    await sell('LOW');
    await book('LOW', 'receipt', '10');
    await api.graphql('mutation { setReorderPoint(input: { sku: "LOW", reorderPoint: "5" }) { __typename } }');
    await importFile(api, 'sku,quantity\nLOW,4\n', 'counts');
    const { rows } = await api.database.system.query(
      `SELECT data FROM outbox_events WHERE topic = 'stock.low' AND data ->> 'sku' = 'LOW'`,
    );
    expect(rows).toEqual([{ data: { sku: 'LOW', location: 'main', available: '4', reorder_point: '5' } }]);
  });
});

test('a file of changes is booked as adjustments in its order, each after those before it', async () => {
  await sell('DELTA');
  await book('DELTA', 'receipt', '5');
  const file = 'sku,quantity\nDELTA,-3\nDELTA,-3\nDELTA,0\nDELTA,+1\nDELTA,2.5\nNOBODY,1\n';
  const job = await importFile(api, file, 'changes');
  expect(job).toMatchObject({ rows_read: 6, rows_written: 2, rows_unchanged: 1, rows_rejected: 3 });
  expect(await onHand('DELTA')).toBe('4.5');
  expect(await readRejects(api, job)).toEqual([
    '3,quantity,-3,Only 2 of DELTA at main is on hand.',
    '5,quantity,\'+1,"Use digits with at most one point, such as 12.50."',
    '7,sku,NOBODY,There is no product with this SKU.',
  ]);
  expect(await differences()).toEqual([]);
});

test('a dry run reports the numbers of the real run and changes nothing', async () => {
  await sell('DRY');
  await book('DRY', 'receipt', '5');
  const file = 'sku,quantity\nDRY,9\nNOBODY,1\n';
  const dry = await importFile(api, file, 'counts', { dryRun: true });
  expect(dry).toMatchObject({ status: 'completed', dry_run: true, rows_read: 2, rows_written: 1, rows_rejected: 1 });
  expect(await readRejects(api, dry)).toEqual(['3,sku,NOBODY,There is no product with this SKU.']);
  expect(await onHand('DRY')).toBe('5');
  expect(await references('DRY')).toEqual(['receipt-DRY-main-5']);
});

test('a dry run of changes judges each row after all rows before it, however far apart they are', async () => {
  await sell('FAR', 'BETWEEN');
  await book('FAR', 'receipt', '5');
  const between = 'BETWEEN,0\n'.repeat(20_001);
  const job = await importFile(api, `sku,quantity\nFAR,-3\n${between}FAR,-3\n`, 'changes', { dryRun: true });
  expect(job).toMatchObject({ status: 'completed', rows_read: 20_003, rows_written: 1, rows_rejected: 1 });
  expect(await readRejects(api, job)).toEqual(['20004,quantity,-3,Only 2 of FAR at main is on hand.']);
  expect(await onHand('FAR')).toBe('5');
});

describe('a file of a profile that allows some rejected rows', () => {
  const file = 'sku,quantity\nSOME,7\nNOBODY-1,1\nNOBODY-2,1\nSOME-2,x\n';
  test.for<[string, object]>([
    ['a number', { max_rejected: 2 }],
    ['a share', { max_rejected: '74.9%' }],
    ['none', { max_rejected: '0' }],
    ['a number, of changes', { max_rejected: '2', mode: 'delta' }],
  ])('is refused as a whole where it has more than %s', async ([name, settings]) => {
    await sell('SOME');
    await makeProfile(api, { name, ...settings });
    for (const dryRun of [false, true]) {
      const job = await importFile(api, file, name, { dryRun });
      expect(job).toMatchObject({ status: 'failed', rows_written: 0, rows_unchanged: 0 });
      expect(job.error).toMatch(/rows are rejected, and the profile allows .*Nothing was written/);
      expect(await readRejects(api, job)).toContainEqual(expect.stringMatching(/^5,quantity,x,/));
    }
    expect(await onHand('SOME')).toBeUndefined();
  });

  test('is merged if it has fewer', async () => {
    await sell('ENOUGH');
    await makeProfile(api, { name: 'three', max_rejected: '75%' });
    const job = await importFile(api, file.replace('SOME,', 'ENOUGH,'), 'three');
    expect(job).toMatchObject({ status: 'completed', rows_written: 1, rows_rejected: 3 });
    expect(await readRejects(api, job)).toHaveLength(3);
    expect(await onHand('ENOUGH')).toBe('7');
  });
});

test('an order that is placed during a count is booked before or after the count, and both add up', async () => {
  const skus = Array.from({ length: 40 }, (_, at) => `RACE-${at}`);
  await sell(...skus);
  for (const sku of skus) await book(sku, 'receipt', '100');
  const [job] = await Promise.all([
    importFile(api, `sku,quantity\n${skus.map((sku) => `${sku},50\n`).join('')}`, 'counts'),
    ...skus.toReversed().map((sku) => book(sku, 'issue', '1')),
  ]);
  expect(job).toMatchObject({ status: 'completed', rows_written: 40, rows_rejected: 0 });
  const left = await Promise.all(skus.map((sku) => onHand(sku)));
  expect(left.filter((quantity) => quantity !== '50' && quantity !== '49')).toEqual([]);
  expect(await differences()).toEqual([]);
});
