import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, vi } from 'vitest';
import { createTrigger } from '#src/automation/triggers/triggers.service.ts';
import { type Principal, systemActor } from '#src/infra/deps.ts';
import { sweepOutbox } from '#src/journal/outbox/outbox-upkeep.store.ts';
import { consumersHealth } from '#src/journal/outbox/outbox.reads.ts';
import { retryOutboxFailure } from '#src/journal/outbox/outbox.service.ts';
import { type OutboxConsumer, publishEvent } from '#src/journal/outbox/outbox.ts';
import { createMetrics } from '#src/process/metrics/metrics.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';
import { anyTopic } from '#test/setup/topics.ts';
import { startOutboxRelay } from '#workers/relay/outbox-relay.ts';

const tenantId = 'acme-shop';
const operator = { sub: 'test-operator', email: 'operator@example.com', roles: ['operator'], tenant: null };

let api: TestApp;
let owner: pg.Client;
test.beforeAll(async ({ api: started }) => {
  api = started;
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
});

beforeEach(() => owner.query('DELETE FROM outbox_failures'));

const publish = (topic: string) =>
  api.database.withTenant(tenantId, (tx) => publishEvent(tx, { tenantId, topic: anyTopic(topic), data: { n: 1 } }));

/** Puts an event aside for a consumer, as the relay does in the end. */
async function putAside(consumer: string, topic = 'tick'): Promise<string> {
  const eventId = await publish(topic);
  await api.database.system.query(
    `INSERT INTO outbox_failures (consumer, id, event_id, tenant_id, error)
     SELECT $1, id, event_id, tenant_id, 'no such thing' FROM outbox_events WHERE event_id = $2`,
    [consumer, eventId],
  );
  return eventId;
}

interface Failure {
  consumer: string;
  eventId: string;
}
const pageQuery = `query ($first: Int, $after: String, $last: Int, $before: String) {
  outboxFailures(first: $first, after: $after, last: $last, before: $before) {
    totalCount pageInfo { hasNextPage endCursor startCursor }
    edges { node { id consumer eventId tenantId topic error publishedAt createdAt } } } }`;
interface Page {
  outboxFailures: {
    totalCount: number;
    pageInfo: { hasNextPage: boolean; endCursor: string; startCursor: string };
    edges: { node: Failure & Record<string, string> }[];
  };
}
async function page(args: object) {
  const { data, errors } = await api.graphql<Page>(pageQuery, args, operator);
  expect(errors).toBeUndefined();
  return data.outboxFailures;
}
const failures = async (): Promise<Failure[]> => (await page({})).edges.map((edge) => edge.node);

async function settle(how: 'retry' | 'discard', input: Failure): Promise<{ code?: string; message?: string }> {
  const title = how === 'retry' ? 'RetryOutboxFailure' : 'DiscardOutboxFailure';
  const { data, errors } = await api.graphql<Record<string, { code?: string; message?: string }>>(
    `mutation ($input: ${title}Input!) { ${how}OutboxFailure(input: $input) {
      ... on ${title}Payload { outboxFailure { eventId } } ... on Error { code message } } }`,
    { input },
    operator,
  );
  expect(errors).toBeUndefined();
  return data[`${how}OutboxFailure`] ?? {};
}

describe('an event that its consumer can neither handle nor refuse', () => {
  test('is put aside, seen by operators, and handled by a retry once the cause is gone', async () => {
    const { workflowId } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] }, { type: 'manual' });
    const actor = systemActor('acme', tenantId);
    const config = { topics: ['thing.made'] };
    await createTrigger(api.deps, actor, BigInt(workflowId), { type: 'event', name: 'Hears', config });
    await owner.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no place in %', TG_TABLE_NAME; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON runs_p0 FOR EACH ROW EXECUTE FUNCTION refuse();
      CREATE TRIGGER refuse BEFORE INSERT ON dead_letters FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const relay = await startOutboxRelay(api.deps, api.services.consumers);
    const eventId = await publish('thing.made');
    await vi.waitFor(async () => expect(await failures()).toHaveLength(1), { timeout: 20_000, interval: 100 });
    await relay.stop();
    const [{ node: failure }] = (await page({})).edges as [Page['outboxFailures']['edges'][0]];
    expect(failure).toMatchObject({ consumer: 'event-triggers', eventId, tenantId, topic: 'thing.made' });
    const byId = 'query ($id: ID!) { node(id: $id) { id ... on OutboxFailure { topic } } }';
    const { id } = failure as unknown as { id: string };
    expect(await api.graphql(byId, { id }, operator)).toEqual({ data: { node: { id, topic: 'thing.made' } } });
    expect(await api.graphql(byId, { id })).toEqual({ data: { node: null } });
    expect(failure['error']).toMatch(/no place in runs.* failed as well: no place in dead_letters/);
    expect(api.logLines.some((line) => line.includes(eventId) && line.includes('put aside'))).toBe(true);

    const again = { consumer: 'event-triggers', eventId };
    expect(await settle('retry', again)).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('again') });
    expect(await failures()).toHaveLength(1);
    await owner.query('DROP FUNCTION refuse CASCADE');
    expect(await settle('retry', again)).toEqual({ outboxFailure: { eventId } });
    expect(await failures()).toEqual([]);
    const { rows } = await owner.query('SELECT payload FROM run_payloads WHERE tenant_id = $1', [tenantId]);
    expect(rows).toMatchObject([{ payload: { id: eventId, topic: 'thing.made' } }]);
    expect(await settle('retry', again)).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a consumer whose connection breaks', () => {
  test('puts no event aside, however often it happens', async () => {
    const eventId = await publish('tick');
    const handled: string[] = [];
    let tries = 0;
    const relay = await startOutboxRelay(api.deps, [
      {
        name: 'frail',
        async handle(client, events) {
          const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
          if ((tries += 1) <= 5) await owner.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
          await client.query('SELECT 1');
          handled.push(...events.map((event) => event.eventId));
          return events.length;
        },
      },
    ]);
    await vi.waitFor(() => expect(handled).toContain(eventId), { timeout: 30_000, interval: 100 });
    await relay.stop();
    expect(tries).toBe(6);
    expect(await failures()).toEqual([]);
  });
});

describe('events that were put aside', () => {
  test('are paged newest first, in both directions, with a failure for each consumer of an event', async () => {
    const first = await putAside('event-triggers');
    const second = await putAside('webhooks');
    await owner.query(
      `INSERT INTO outbox_failures SELECT 'event-triggers', id, event_id, tenant_id, error FROM outbox_failures WHERE event_id = $1`,
      [second],
    );
    const wanted = [
      { consumer: 'webhooks', eventId: second },
      { consumer: 'event-triggers', eventId: second },
      { consumer: 'event-triggers', eventId: first },
    ];
    expect(await failures()).toMatchObject(wanted);
    const seen: Failure[] = [];
    let after: string | null = null;
    for (const more of [true, true, false]) {
      const one: Page['outboxFailures'] = await page({ first: 1, after });
      expect([one.totalCount, one.pageInfo.hasNextPage]).toEqual([3, more]);
      seen.push(...one.edges.map((edge) => edge.node));
      after = one.pageInfo.endCursor;
    }
    expect(seen).toMatchObject(wanted);
    const back = await page({ last: 1, before: after });
    expect(back.edges.map((edge) => edge.node)).toMatchObject([wanted[1]]);
    const { errors } = await api.graphql(pageQuery, { after: btoa('1:x y') }, operator);
    expect(errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
  });

  test('are narrowed by consumer, topic, tenant and time, in number too', async () => {
    const made = await putAside('event-triggers', 'thing.made');
    const sent = await putAside('webhooks', 'thing.sent');
    const within = async (filter: object) => {
      const { data, errors } = await api.graphql<Page>(
        `query ($filter: OutboxFailureFilter) {
          outboxFailures(first: 10, filter: $filter) { totalCount edges { node { eventId } } }
        }`,
        { filter },
        operator,
      );
      expect(errors).toBeUndefined();
      const { totalCount, edges } = data.outboxFailures;
      expect(totalCount).toBe(edges.length);
      return edges.map((edge) => edge.node.eventId);
    };
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await within({})).toEqual([sent, made]);
    expect(await within({ consumer: 'webhooks' })).toEqual([sent]);
    expect(await within({ topic: 'thing.made', tenantId, until: later })).toEqual([made]);
    expect(await within({ tenantId: 'other-shop' })).toEqual([]);
    expect(await within({ since: later })).toEqual([]);
  });

  test('are discarded for one consumer only, with an entry in the tenant’s log', async () => {
    const eventId = await putAside('event-triggers');
    await owner.query(
      `INSERT INTO outbox_failures SELECT 'webhooks', id, event_id, tenant_id, error FROM outbox_failures`,
    );
    expect(await settle('discard', { consumer: 'webhooks', eventId })).toEqual({ outboxFailure: { eventId } });
    expect(await failures()).toMatchObject([{ consumer: 'event-triggers', eventId }]);
    expect(await settle('discard', { consumer: 'webhooks', eventId })).toMatchObject({ code: 'NOT_FOUND' });
    const { rows } = await owner.query(
      `SELECT org_id, tenant_id, actor_sub, actor_email, via_system, channel, action, metadata FROM audit_entries WHERE resource_type = 'outbox_failure' AND resource_id = $1`,
      [eventId],
    );
    expect(rows).toEqual([
      {
        org_id: 'acme',
        tenant_id: tenantId,
        actor_sub: 'test-operator',
        actor_email: 'operator@example.com',
        via_system: false,
        channel: 'api',
        action: 'delete',
        metadata: { consumer: 'webhooks', topic: 'tick' },
      },
    ]);
  });

  test('are retried by their own consumer, once, also when requested concurrently', async () => {
    const eventId = await putAside('webhooks');
    const handled: string[] = [];
    const webhooks: OutboxConsumer = {
      name: 'webhooks',
      async handle(_client, [event]) {
        await delay(50);
        handled.push(event?.eventId ?? '');
        return 1;
      },
    };
    const operator: Principal = { userId: null, sub: 'test-operator', email: null, channel: 'api' };
    const input = { consumer: 'webhooks', eventId };
    const tries = await Promise.allSettled(
      [1, 2, 3].map(() => retryOutboxFailure(api.deps, operator, input, [webhooks])),
    );
    expect(handled).toEqual([eventId]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  test('of a removed consumer can only be discarded', async () => {
    const gone = { consumer: 'gone', eventId: await putAside('gone') };
    expect(await settle('retry', gone)).toMatchObject({ code: 'CONFLICT' });
    expect(await settle('discard', gone)).toEqual({ outboxFailure: { eventId: gone.eventId } });
  });

  test('need a UUID, and no NUL in the consumer', async () => {
    for (const input of [
      { consumer: 'webhooks', eventId: 'x' },
      { consumer: 'a\0', eventId: '00000000-0000-4000-8000-000000000000' },
    ])
      expect(await settle('retry', input)).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  test('are kept with their event for thirty days', async () => {
    const eventId = await putAside('webhooks');
    await owner.query(`UPDATE outbox_events SET created_at = now() - interval '8 days'`);
    await owner.query(`UPDATE outbox_cursors SET xid = 4000000000000000, id = 0`);
    await sweepOutbox(api.database);
    expect(await failures()).toMatchObject([{ eventId }]);
    await owner.query(`UPDATE outbox_failures SET created_at = now() - interval '31 days'`);
    await sweepOutbox(api.database);
    expect((await owner.query('SELECT FROM outbox_events')).rowCount).toBe(0);
  });
});

describe('/metrics', () => {
  test('shows each consumer’s lag and how many events were put aside', async () => {
    await owner.query('DELETE FROM outbox_cursors');
    await owner.query(
      `INSERT INTO outbox_cursors (consumer, xid, id) VALUES ('event-triggers', 0, 0), ('webhooks', 0, 0)`,
    );
    await putAside('webhooks');
    await owner.query(`UPDATE outbox_events SET created_at = now() - interval '90 seconds'`);
    await owner.query(`UPDATE outbox_cursors SET xid = 4000000000000000 WHERE consumer = 'webhooks'`);
    expect(await consumersHealth(api.database)).toEqual([
      { consumer: 'event-triggers', failures: 0, lagSeconds: expect.closeTo(90, -1) },
      { consumer: 'webhooks', failures: 1, lagSeconds: 0 },
    ]);
    const body = await createMetrics(api.database).metrics();
    expect(body).toMatch(/^causeway_outbox_failures\{consumer="webhooks"\} 1$/m);
    expect(body).toMatch(/^causeway_outbox_lag_seconds\{consumer="event-triggers"\} (9\d|1\d\d)/m);
  });
});
