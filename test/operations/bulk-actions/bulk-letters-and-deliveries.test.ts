import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';
import { auditSince, globalId, newestAudit, start, startAndExecute } from './bulk-action-calls.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

async function makeLetters(count: number, { type = 'webhook' as const } = {}) {
  const { workflowId, handle } = await readyWorkflow(api, { nodes: [node('a', 'set')] }, { type });
  const { rows } = await api.database.system.query<{ id: number }>(
    `WITH made AS (
       INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, reason)
       SELECT 'acme-shop', $1, 1, 'webhook', $2, 'Workflow bundle is not ready.' FROM generate_series(1, $3) RETURNING id
     ), payloads AS (
       INSERT INTO dead_letter_payloads (tenant_id, dead_letter_id, payload) SELECT 'acme-shop', id, jsonb_build_object('number', id) FROM made
     ) SELECT id FROM made ORDER BY id`,
    [workflowId, handle, count],
  );
  return { workflowId, ids: rows.map(({ id }) => id) };
}

describe('replayDeadLetters', () => {
  test('starts a run with the payload of each pending dead letter', async () => {
    const { workflowId, ids } = await makeLetters(40);
    const dry = await start(api, 'replayDeadLetters', { filter: { workflowId }, dryRun: true });
    expect([dry.count, dry.deadLetters?.map(({ databaseId }) => databaseId)]).toEqual([40, ids.slice(0, 20)]);
    const since = await newestAudit(api);
    const done = await startAndExecute(api, 'replayDeadLetters', { filter: { workflowId, status: ['PENDING'] } });
    expect(done).toMatchObject({ status: 'COMPLETED', done: 40, refused: 0 });
    const { rows } = await api.database.system.query<{ id: number; number: number }>(
      `SELECT d.id, (p.payload ->> 'number')::int AS number FROM dead_letters d JOIN runs r ON r.tenant_id = d.tenant_id AND r.id = d.replayed_run_id
       JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id
       WHERE d.id = ANY($1) AND d.status = 'replayed' AND r.trigger_type = 'webhook' ORDER BY 1`,
      [ids],
    );
    expect(rows).toEqual(ids.map((id) => ({ id, number: id })));
    expect(await auditSince(api, since)).toEqual({ 'bulk_action start': 1, 'workflow_run run.started': 40 });
  });

  test('refuses those of a workflow that cannot start, and those that are settled', async () => {
    const idle = await makeLetters(1);
    await api.database.system.query('UPDATE workflows SET active = false WHERE id = $1', [idle.workflowId]);
    const without = await makeLetters(1);
    await api.database.system.query('DELETE FROM triggers WHERE workflow_id = $1', [without.workflowId]);
    const settled = await makeLetters(1);
    await api.database.system.query(`UPDATE dead_letters SET status = 'discarded' WHERE id = $1`, [settled.ids[0]]);
    const good = await makeLetters(1);
    const ids = [...idle.ids, ...without.ids, ...settled.ids, ...good.ids].map((id) => globalId('DeadLetter', id));
    const done = await startAndExecute(api, 'replayDeadLetters', { ids });
    expect(done).toMatchObject({ done: 1, refused: 3 });
    expect(done.refusals.edges.map((edge) => [edge.node.code, edge.node.reason])).toEqual([
      ['CONFLICT', 'Workflow is not active.'],
      ['UNPROCESSABLE', expect.stringMatching(/no active manual trigger/)],
      ['CONFLICT', 'Dead letter has already been replayed or discarded.'],
    ]);
    const { rows } = await api.database.system.query('SELECT status FROM dead_letters WHERE id = ANY($1) ORDER BY id', [
      [...idle.ids, ...without.ids],
    ]);
    expect(rows).toEqual([{ status: 'pending' }, { status: 'pending' }]);
  });
});

test('discardDeadLetters settles the pending ones, each with an entry in the audit log', async () => {
  const { workflowId, ids } = await makeLetters(7);
  const since = await newestAudit(api);
  expect(await startAndExecute(api, 'discardDeadLetters', { filter: { workflowId } })).toMatchObject({ done: 7 });
  const { rows } = await api.database.system.query(
    'SELECT DISTINCT status, replayed_run_id FROM dead_letters WHERE id = ANY($1)',
    [ids],
  );
  expect(rows).toEqual([{ status: 'discarded', replayed_run_id: null }]);
  expect(await auditSince(api, since)).toEqual({ 'bulk_action start': 1, 'dead_letter discard': 7 });
});

describe('resendWebhookDeliveries', () => {
  async function makeDeliveries(count: number) {
    return api.database.withTenantSql('acme-shop', async (tx) => {
      const { rows } = await tx.query<{ destination: number; delivery: number }>(
        `WITH made AS (
           INSERT INTO webhook_destinations (tenant_id, name, url, topics)
           VALUES ('acme-shop', gen_random_uuid(), 'https://example.com', '{*}') RETURNING id
         ), queue AS (
           INSERT INTO webhook_queues (tenant_id, destination_id) SELECT 'acme-shop', id FROM made
         ), payload AS (
           INSERT INTO webhook_payloads (tenant_id, event_id, topic, body, size) VALUES ('acme-shop', gen_random_uuid(), 'a.b', '{}', 2) RETURNING id
         ), deliveries AS (
           INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status)
           SELECT 'acme-shop', made.id, payload.id, 'failed' FROM made, payload, generate_series(1, $1) RETURNING id, destination_id
         ) SELECT destination_id AS destination, id AS delivery FROM deliveries ORDER BY id`,
        [count],
      );
      return { destinationId: rows[0]?.destination as number, ids: rows.map(({ delivery }) => delivery) };
    });
  }

  test('queues an attempt of each, and refuses those of a destination that is disabled or gone', async () => {
    const { destinationId, ids } = await makeDeliveries(25);
    const disabled = await makeDeliveries(1);
    await api.database.withTenantSql('acme-shop', (tx) =>
      tx.query(`UPDATE webhook_destinations SET status = 'disabled', disabled_reason = 'manual' WHERE id = $1`, [
        disabled.destinationId,
      ]),
    );
    const gone = await makeDeliveries(1);
    await api.database.withTenantSql('acme-shop', (tx) =>
      tx.query('DELETE FROM webhook_destinations WHERE id = $1', [gone.destinationId]),
    );
    const dry = await start(api, 'resendWebhookDeliveries', {
      filter: { destinationId, status: 'FAILED' },
      dryRun: true,
    });
    expect([dry.count, dry.webhookDeliveries?.map(({ databaseId }) => databaseId)]).toEqual([25, ids.slice(0, 20)]);
    const since = await newestAudit(api);
    const done = await startAndExecute(api, 'resendWebhookDeliveries', {
      ids: [...ids, ...disabled.ids, ...gone.ids].map((id) => globalId('WebhookDelivery', id)),
    });
    expect(done).toMatchObject({ status: 'COMPLETED', done: 25, refused: 2 });
    expect(done.refusals.edges.map(({ node: { reason } }) => reason)).toEqual([
      'The destination is disabled; enable it first.',
      'Its destination has been deleted.',
    ]);
    const { rows } = await api.database.system.query(
      `SELECT status, once, (SELECT due_at IS NOT NULL FROM webhook_queues q WHERE q.destination_id = $2) AS due, count(*)::int AS count
       FROM webhook_deliveries WHERE id = ANY($1) GROUP BY 1, 2`,
      [ids, destinationId],
    );
    expect(rows).toEqual([{ status: 'pending', once: true, due: true, count: 25 }]);
    expect(await auditSince(api, since)).toEqual({ 'bulk_action start': 1, 'webhook_delivery resend': 25 });
  });

  test('is for admins, as the resend of one is', async () => {
    await expect(start(api, 'resendWebhookDeliveries', { filter: {} }, { roles: ['user'] })).rejects.toThrow(
      'This action is unauthorized.',
    );
  });
});
