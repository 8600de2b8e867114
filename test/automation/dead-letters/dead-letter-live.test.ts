import pg from 'pg';
import { describe, expect } from 'vitest';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { connect, type Message, ofOperation, subscribe } from '#test/setup/live.ts';
import { makeWorkflow } from '#test/setup/runs.ts';

const tenant = 'acme-shop';
/** A tenant of its own, because a late notice of a firing that the first test captured would reach the second test's subscriber. */
const otherTenant = 'acme-outlet';
const query = 'subscription { deadLetterCaptured { databaseId workflowName reason status payload } }';

let here: TestApp;
let there: TestApp;
let workflowId: number;

test.beforeAll(async ({ api: started, startBeside }) => {
  here = started;
  there = await startBeside();
  workflowId = await makeWorkflow(here.deps, tenant, 'Orders to ERP');
});

/** Captures a firing as accepting one does; `silently` without the notice. */
async function capture(
  { database }: Deps,
  tenantId: string,
  reason: string,
  { silently = false, of = workflowId } = {},
): Promise<number> {
  return database.withSystem(async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, reason)
       VALUES ($1, $2, 1, 'webhook', gen_random_uuid(), $3) RETURNING id`,
      [tenantId, of, reason],
    );
    const id = rows[0]?.id as number;
    await client.query(
      `INSERT INTO dead_letter_payloads (tenant_id, dead_letter_id, payload) VALUES ($1, $2, '{"order":1}')`,
      [tenantId, id],
    );
    if (!silently) client.notify(channels.deadLetters, [[tenantId, id]]);
    return id;
  });
}

const letters = (messages: Message[]) =>
  ofOperation(messages, '1').flatMap<Record<string, unknown>>(
    ({ payload }) => payload?.data?.['deadLetterCaptured'] ?? [],
  );

describe('deadLetterCaptured', () => {
  test('reaches all subscribers of the tenant, and only those, from another process', async () => {
    await capture(here.deps, tenant, 'before anyone listened');
    await here.database.notices.flushed();
    const clients = await Promise.all([connect(here), connect(here), connect(there, { roles: ['user'] })]);
    const stranger = await connect(here, { org_id: 'other', tenant: 'other-shop' });
    for (const client of [...clients, stranger]) {
      subscribe(client, '1', query);
      subscribe(client, 'ready', '{ me { claims { sub } } }');
      await client.until((messages) => ofOperation(messages, 'ready').length === 2);
    }
    const first = await capture(there.deps, tenant, 'Workflow bundle is not ready.');
    const second = await capture(here.deps, tenant, 'Workflow is not active.');
    for (const client of clients) {
      const heard = await client.until((messages) => letters(messages).length === 2 && letters(messages));
      // Captures in two processes at the same time arrive in either order.
      const seen = heard.toSorted((a, b) => Number(a['databaseId']) - Number(b['databaseId']));
      expect(seen).toEqual([
        {
          databaseId: first,
          workflowName: 'Orders to ERP',
          reason: 'Workflow bundle is not ready.',
          status: 'PENDING',
          payload: { order: 1 },
        },
        {
          databaseId: second,
          workflowName: 'Orders to ERP',
          reason: 'Workflow is not active.',
          status: 'PENDING',
          payload: { order: 1 },
        },
      ]);
      client.socket.close();
    }
    expect(letters(stranger.messages)).toEqual([]);
    stranger.socket.close();
  });

  test('delivers each dead letter once, even after a lost connection', async () => {
    const of = await makeWorkflow(here.deps, otherTenant, 'Orders to ERP');
    const client = await connect(here, { tenant: otherTenant });
    subscribe(client, '1', query);
    subscribe(client, 'ready', '{ me { claims { sub } } }');
    await client.until((messages) => ofOperation(messages, 'ready').length === 2);
    const heard = await capture(there.deps, otherTenant, 'heard', { of });
    await client.until((messages) => letters(messages).length === 1);
    const unheard = await capture(there.deps, otherTenant, 'unheard', { silently: true, of });
    const admin = new pg.Client({ connectionString: here.databaseUrl });
    await admin.connect();
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'causeway-live' AND datname = current_database()`,
    );
    await admin.end();
    await client.until((messages) => letters(messages).length === 2);
    const last = await capture(there.deps, otherTenant, 'last', { of });
    const seen = await client.until((messages) => letters(messages).length === 3 && letters(messages));
    expect(seen.map(({ databaseId }) => databaseId)).toEqual([heard, unheard, last]);
    client.socket.close();
  });
});
