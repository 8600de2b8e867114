import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect } from 'vitest';
import { call, callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

/**
 * A later version's possible changes to every table that this one reads: each gets another column, and numbers get wider. Partitions follow
 * their tables, and columns with dependents stay unchanged.
 */
const laterMigration = `
  DO $$
  DECLARE
    entry record;
  BEGIN
    FOR entry IN
      SELECT c.oid::regclass AS name FROM pg_class c
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname !~ '^_prisma'
    LOOP
      EXECUTE format('ALTER TABLE %s ADD COLUMN added_later text', entry.name);
    END LOOP;
    FOR entry IN
      SELECT a.attrelid::regclass AS name, quote_ident(attname) AS "column" FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE relname IN ('workflows', 'runs', 'steps', 'bulk_jobs', 'orders') AND NOT relispartition
        AND atttypid = 'int4'::regtype AND attnum > 0 AND NOT attisdropped
    LOOP
      BEGIN
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %s TYPE bigint', entry.name, entry."column");
      EXCEPTION WHEN OTHERS THEN NULL;
      END;
    END LOOP;
  END $$`;

async function asOwner(url: string, sql: string): Promise<void> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    await owner.query(sql);
  } finally {
    await owner.end();
  }
}

const sku = `MUG-${randomUUID()}`;
/** Every kind of request that a shop, an ERP and a console send all day; answers the status of each. */
async function aDay(api: TestApp, workflow: { tenantId: string; handle: string }): Promise<Record<string, unknown>> {
  const statuses: Record<string, unknown> = {};
  const platform = async (method: string, path: string, body?: object) => {
    const answer = await callPlatform(api, method, path, body ? { body } : {});
    statuses[`${method} ${path}`] = answer.status;
    return answer.body as Record<string, unknown>;
  };
  const movement = { sku, kind: 'receipt', quantity: '12', reference: randomUUID() };
  await platform('POST', '/inventories/movements', movement);
  const { data } = await api.graphql<{ createOrder: { __typename: string } }>(
    `mutation ($sku: String!) {
      createOrder(input: {currency: "EUR", positions: [{sku: $sku, quantity: "1", unitPrice: "10"}]}) { __typename }
    }`,
    { sku },
  );
  statuses['createOrder'] = data.createOrder.__typename;
  for (const path of ['/orders', '/inventories/movements', '/products', '/io/bulk-jobs'])
    await platform('GET', `${path}?limit=5`);
  const runId = await fireRun(api, workflow);
  statuses['run'] = (await untilRun(api, runId)).status;
  for (const path of ['/workflows', '/runs', `/runs/${runId}`, '/schedules', '/dead-letters', '/audit-logs'])
    statuses[`GET ${path.replace(String(runId), 'id')}`] = (await call(api, 'GET', path)).status;
  return statuses;
}

describe('a process of the released version beside one that migrates', () => {
  test('serves every statement that it has prepared', startsProcesses, async ({ api, startEngine }) => {
    const workflow = await readyWorkflow(api, { nodes: [node('answer', 'respond', { value: 'done' })] });
    await startEngine();
    await api.graphql(
      `mutation ($sku: String!) { createProduct(input: {sku: $sku, name: "Mug", taxRate: "19"}) { __typename } }`,
      { sku },
    );
    const before = await aDay(api, workflow);
    // Prepared on more than one connection.
    await Promise.all([aDay(api, workflow), aDay(api, workflow), aDay(api, workflow)]);
    await asOwner(api.databaseUrl, laterMigration);
    const after = [];
    for (let again = 0; again < 3; again += 1) after.push(await aDay(api, workflow));
    expect(Object.values(before)).not.toContain(404);
    expect(after).toEqual([before, before, before]);
  });
});
