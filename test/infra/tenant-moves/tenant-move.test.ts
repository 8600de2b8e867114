import { afterAll, beforeAll, expect, test } from 'vitest';
import { putSecret } from '#src/automation/secrets/secrets.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { makeEndpoint, platformHeaders, send } from '#test/commerce/inbound/senders.ts';
import { createShop } from '#test/commerce/shop.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { chain, fireRun, node, readRun, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { openTwoInstallations, type Side, type TwoInstallations } from './two-installations.ts';

let two: TwoInstallations;
beforeAll(async () => {
  two = await openTwoInstallations('plain');
});
afterAll(() => two.close());

const ok = { code: 0 };
const readSums = async (side: 'source' | 'target'): Promise<Record<string, { rows: number; hash: string }>> => {
  const answer = await two.causeway(two[side], 'tenant', 'sums', 'acme-shop', '--json');
  expect(answer).toMatchObject(ok);
  return JSON.parse(answer.out).tables;
};

/** Reads the entries on moves from the tenant's audit log. */
const readSteps = async ({ superuser }: Side) =>
  (
    await superuser.query(
      `SELECT action, metadata FROM audit_entries WHERE tenant_id = 'acme-shop' AND resource_type = 'tenant' AND via_system ORDER BY id`,
    )
  ).rows;

/** Reads the tenant's move as its users see it. */
async function readShownMove({ api }: Side): Promise<unknown> {
  const { data } = await api.graphql<{ me: { context: { move: unknown } } }>(
    '{ me { context { move { arrives movesTo } } } }',
  );
  return data.me.context.move;
}

test('moves a tenant with its runs, files, secrets, orders and events, and leaves nothing behind', async () => {
  const { source, target } = two;
  const { deps, database } = source.api;
  await putSecret(deps, systemActor('acme', 'acme-shop'), { key: 'ERP', value: 'the secret of the ERP' });
  const engine = await startTestEngine(source.api);
  const made = await readyWorkflow(source.api, {
    nodes: [
      node('first', 'set', { values: { n: '{{ trigger.payload.n }}' } }),
      node('hold', 'wait', { duration_ms: 3_600_000 }),
      node('last', 'set', { values: { secret: '{{ secrets.ERP }}' } }),
    ],
    edges: chain('first', 'hold', 'last'),
  });
  const waiting = await fireRun(source.api, made, { n: 12345678901234567890n.toString() });
  await untilRun(source.api, waiting, 'waiting');
  const quick = await readyWorkflow(source.api, { nodes: [node('only', 'set', { values: { a: 1 } })] });
  const ended = await fireRun(source.api, quick);
  await untilRun(source.api, ended);
  const shop = createShop(source.api);
  await shop.stocked('A-1', '10');
  const order = await shop.place({ positions: [{ sku: 'A-1', quantity: '2', unitPrice: '9.90' }] });
  expect(order.order).toBeDefined();
  const { key } = await deps.storage.put(Buffer.from('sku;name\nA-1;Article'), { maxBytes: 1_000 });
  await database.withTenant('acme-shop', (tx) =>
    tx.upload.create({
      data: {
        tenantId: 'acme-shop',
        filename: 'a.csv',
        contentType: 'text/csv',
        size: 20n,
        storageKey: key,
        bytes: 20n,
      },
    }),
  );
  const endpoint = await makeEndpoint(source.api);
  const { options } = await two.makeArchive();

  // The history, while the tenant is open.
  expect(await two.causeway(source, 'tenant', 'export', 'acme-shop', ...options)).toMatchObject(ok);
  expect(await two.causeway(target, 'tenant', 'import', ...options)).toMatchObject({
    code: 0,
    out: expect.stringContaining('The history of acme-shop has arrived.'),
  });
  expect([await readShownMove(source), await readShownMove(target)]).toEqual([null, { arrives: true, movesTo: null }]);
  // Changes since: a new run, one that is deleted, and another order.
  const later = await fireRun(source.api, quick);
  await untilRun(source.api, later);
  await source.superuser.query('SET ROLE causeway_system');
  for (const table of ['run_payloads', 'run_results', 'steps'])
    await source.superuser.query(`DELETE FROM ${table} WHERE run_id = $1`, [ended]);
  await source.superuser.query(`DELETE FROM runs WHERE id = $1`, [ended]);
  await source.superuser.query('RESET ROLE');
  await shop.place({ positions: [{ sku: 'A-1', quantity: '1', unitPrice: '9.90' }] });

  // Closed: writes are refused with a pointer, reads are answered, other tenants go on.
  const closing = await two.causeway(
    source,
    'tenant',
    'export',
    'acme-shop',
    ...options,
    '--close',
    '--moves-to',
    'https://b.example',
  );
  expect(closing).toMatchObject(ok);
  expect(await readShownMove(source)).toEqual({ arrives: false, movesTo: 'https://b.example' });
  const body = '{"number":"1001"}';
  const refused = await source.api.app.inject({
    method: 'POST',
    url: `/in/${endpoint.endpoint_id}`,
    headers: { 'content-type': 'application/json', ...platformHeaders(body) },
    payload: body,
  });
  expect([refused.statusCode, refused.headers['retry-after'], refused.json().message]).toEqual([
    503,
    '5',
    'Tenant acme-shop moves to another installation: https://b.example. Send the request again later.',
  ]);
  expect(
    (
      await callPlatform(source.api, 'POST', '/inventories/movements', {
        body: { sku: 'A-1', kind: 'receipt', quantity: '1', reference: 'late' },
      })
    ).status,
  ).toBe(503);
  expect(await shop.readStock('A-1')).toMatchObject({ on_hand: '10', reserved: '3' });
  const other = await readyWorkflow(
    source.api,
    { nodes: [node('only', 'set', { values: { a: 1 } })] },
    { tenantId: 'acme-outlet' },
  );
  expect(await untilRun(source.api, await fireRun(source.api, other))).toMatchObject({ status: 'succeeded' });
  const before = await readSums('source');

  const imported = await two.causeway(target, 'tenant', 'import', ...options);
  expect(imported).toMatchObject({ code: 0, out: expect.stringContaining('acme-shop is open here.') });
  expect(await readShownMove(target)).toBeNull();
  const { audit_entries: entries, ...after } = await readSums('target');
  const { audit_entries: sourceEntries, ...others } = before;
  expect(after).toEqual(others);
  // The entry for the arrival is written after the comparison.
  expect(entries?.rows).toBe((sourceEntries?.rows ?? 0) + 1);
  expect(await readSteps(target)).toEqual([
    { action: 'export', metadata: { moveId: expect.any(String) } },
    { action: 'close', metadata: { moveId: expect.any(String), movesTo: 'https://b.example' } },
    { action: 'import', metadata: { moveId: expect.any(String), installation: 2 } },
  ]);
  expect(before).toMatchObject({
    orders: { rows: 2 },
    runs: { rows: 2 },
    uploads: { rows: 1 },
    tenant_secrets: { rows: 1 },
  });

  // The target goes on: the same ids, a readable secret, the file, the run that waits, and orders with the next number.
  expect(await readRun(target.api, later)).toMatchObject({ status: 'succeeded' });
  expect(await target.api.deps.storage.exists(key)).toBe(true);
  const targetEngine = await startTestEngine(target.api);
  for (const [table, id] of [
    ['steps', 'run_id'],
    ['runs', 'id'],
  ])
    await target.api.database.system.query(
      `UPDATE ${table} SET wake_at = now() - interval '1 hour' WHERE ${id} = $1 AND wake_at IS NOT NULL`,
      [waiting],
    );
  await target.api.database.system.query(`UPDATE runs SET updated_at = now() - interval '1 hour' WHERE id = $1`, [
    waiting,
  ]);
  const resumed = await untilRun(target.api, waiting);
  expect(resumed).toMatchObject({ status: 'succeeded' });
  expect(resumed.steps.map(({ path }) => path)).toEqual(['first', 'hold', 'last']);
  const next = await createShop(target.api).place({ positions: [{ sku: 'A-1', quantity: '1', unitPrice: '9.90' }] });
  expect(next.order).toMatchObject({ number: '100003' });
  expect(next.order.databaseId).toBeGreaterThanOrEqual(5 * 2 ** 45);
  expect((await send(target.api, endpoint.endpoint_id, { headers: platformHeaders(body) })).status).toBe(202);
  await targetEngine.stop();
  await engine.stop();

  expect(await two.causeway(source, 'tenant', 'forget', 'acme-shop')).toMatchObject({
    code: 1,
    err: expect.stringContaining('then add --arrived.'),
  });
  expect(await two.causeway(source, 'tenant', 'forget', 'acme-shop', '--arrived')).toMatchObject(ok);
  const { rows } = await source.superuser.query(
    `SELECT (SELECT count(*) FROM tenants WHERE id = 'acme-shop')::int AS tenants, (SELECT count(*) FROM runs WHERE tenant_id = 'acme-shop')::int AS runs,
       (SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'moving%')::int AS triggers, (SELECT count(*) FROM pg_policies WHERE policyname LIKE 'moving%')::int AS policies`,
  );
  expect(rows).toEqual([{ tenants: 0, runs: 0, triggers: 0, policies: 0 }]);
}, 120_000);

test('sums of a tenant that is not there are refused, so that a mistyped name does not look like an empty tenant', async () => {
  expect(await two.causeway(two.source, 'tenant', 'sums', 'acme-shpo')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no tenant acme-shpo in this database.') as string,
  });
});
