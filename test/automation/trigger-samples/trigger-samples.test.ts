import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { TriggerType } from '#prisma/enums.ts';
import { fire } from '#src/automation/firings/firings.service.ts';
import { maxListeners, openTriggerSample } from '#src/automation/trigger-samples/watch-trigger.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';

let api: TestApp;
let there: TestApp;
test.beforeAll(async ({ api: started, startBeside }) => {
  api = started;
  there = await startBeside();
});

interface Watched {
  workflowId: number;
  handle: string;
  triggerId: number;
}

async function watched(type: TriggerType = 'webhook', tenantId = 'acme-shop'): Promise<Watched> {
  const made = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] }, { type, tenantId });
  const { rows } = await api.database.system.query<{ id: number }>('SELECT id FROM triggers WHERE handle = $1', [
    made.handle,
  ]);
  return { ...made, triggerId: rows[0]?.id as number };
}

const listen = async ({ triggerId }: Watched, waitMs?: number) =>
  new LiveStream(await openTriggerSample(there.deps, 'acme-shop', BigInt(triggerId), waitMs))[Symbol.asyncIterator]();

const fireAs = ({ handle }: Watched, type: TriggerType, payload: unknown = {}) =>
  fire(api.deps, { actor: systemActor('acme', 'acme-shop'), handle, type, payload, capture: true });

const countRuns = async ({ workflowId }: Watched): Promise<number> =>
  (await api.database.system.query('SELECT FROM runs WHERE workflow_id = $1', [workflowId])).rowCount ?? 0;

const ended = { done: true, value: undefined };

describe('a sample of a trigger', () => {
  test.for(['manual', 'schedule', 'webhook', 'event'] as const)(
    'is the next firing of a %s trigger, which starts one run',
    async (type) => {
      const trigger = await watched(type);
      await fireAs(trigger, type, { n: 'before' });
      const samples = await listen(trigger);
      const next = samples.next();
      const fired = await fireAs(trigger, type, { n: 'after' });
      expect(fired.outcome).toBe('run');
      expect((await next).value).toEqual({
        runId: fired.outcome === 'run' && fired.runId,
        deadLetterId: null,
        firedAt: expect.any(String),
      });
      expect(await samples.next()).toEqual(ended);
      expect(await countRuns(trigger)).toBe(2);
    },
  );

  test('is the first of a hundred firings, each of which starts one run', async () => {
    const trigger = await watched();
    const samples = await listen(trigger);
    const next = samples.next();
    const fired = await Promise.all(Array.from({ length: 100 }, (_, n) => fireAs(trigger, 'webhook', { n })));
    const ids = fired.flatMap((each) => (each.outcome === 'run' ? [each.runId] : []));
    expect(ids).toContain((await next).value?.runId);
    expect(await samples.next()).toEqual(ended);
    expect(await countRuns(trigger)).toBe(100);
  });

  test('is also a firing that became a dead letter, since its workflow is not active', async () => {
    const trigger = await watched();
    await api.database.system.query('UPDATE workflows SET active = false WHERE id = $1', [trigger.workflowId]);
    const samples = await listen(trigger);
    const next = samples.next();
    const fired = await fireAs(trigger, 'webhook', { n: 1 });
    expect((await next).value).toMatchObject({
      runId: null,
      deadLetterId: fired.outcome === 'dead_letter' && fired.deadLetterId,
    });
  });

  test('is no test run, no rerun and no firing of another trigger', async () => {
    const trigger = await watched('manual');
    const other = await api.database.withTenant('acme-shop', (tx) =>
      tx.trigger.create({
        data: { tenantId: 'acme-shop', workflowId: BigInt(trigger.workflowId), type: 'webhook', name: 'Other' },
      }),
    );
    const first = await fireAs(trigger, 'manual');
    const samples = await listen(trigger);
    const next = samples.next();
    const start = 'mutation ($input: StartRunInput!) { startRun(input: $input) { __typename } }';
    const rerun = 'mutation ($input: RerunRunInput!) { rerunRun(input: $input) { __typename } }';
    const { workflowId } = trigger;
    expect((await api.graphql(start, { input: { workflowId, pins: {} } })).data).toEqual({
      startRun: { __typename: 'StartRunPayload' },
    });
    expect((await api.graphql(rerun, { input: { id: first.outcome === 'run' && first.runId } })).data).toEqual({
      rerunRun: { __typename: 'RerunRunPayload' },
    });
    await fireAs({ ...trigger, handle: other.handle }, 'webhook');
    const real = await fireAs(trigger, 'manual');
    expect((await next).value).toMatchObject({ runId: real.outcome === 'run' && real.runId });
  });

  test('never comes once the trigger is deleted, and not after the longest wait', async () => {
    const [deleted, silent] = [await watched(), await watched()];
    const samples = await listen(deleted);
    const next = samples.next();
    const { data } = await api.graphql('mutation ($id: ID!) { deleteTrigger(input: { id: $id }) { __typename } }', {
      id: deleted.triggerId,
    });
    expect(data).toEqual({ deleteTrigger: { __typename: 'DeleteTriggerPayload' } });
    expect(await next).toEqual(ended);
    expect(await (await listen(silent, 50)).next()).toEqual(ended);
  });

  test('is not found for a trigger of another tenant', async () => {
    const foreign = await watched('webhook', 'acme-outlet');
    await expect(listen(foreign)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(listen({ ...foreign, triggerId: 0 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('the listeners of a tenant are bounded, and each that leaves makes room', async () => {
  const trigger = await watched();
  const before = there.deps.triggerListeners.get('acme-shop') ?? 0;
  const listeners = await Promise.all(Array.from({ length: maxListeners - before }, () => listen(trigger)));
  await expect(listen(trigger)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
  const [first, ...others] = listeners;
  await first?.return?.();
  await first?.return?.();
  const late = await listen(trigger);
  await expect(listen(trigger)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
  const fired = await fireAs(trigger, 'webhook');
  for (const each of [...others, late])
    expect((await each.next()).value).toMatchObject({ runId: fired.outcome === 'run' && fired.runId });
  expect(there.deps.triggerListeners.get('acme-shop') ?? 0).toBe(before);
});

describe('triggerCaptured', () => {
  const query = `subscription ($triggerId: ID!) { triggerCaptured(triggerId: $triggerId) {
    payload firedAt run { databaseId triggerType } deadLetter { databaseId } } }`;

  test('answers payload and run of the firing, then completes; a socket that dies leaves nothing behind', async () => {
    const trigger = await watched();
    const variables = { triggerId: trigger.triggerId };
    const [client, dying] = await Promise.all([connect(api), connect(there)]);
    for (const each of [client, dying]) subscribe(each, '1', query, variables);
    dying.socket.terminate();
    await dying.closed;
    // A subscription is not acknowledged, so it fires until one is heard.
    const isComplete = () => ofOperation(client.messages, '1').some(({ type }) => type === 'complete');
    let fired = 0;
    while (!isComplete()) {
      await fireAs(trigger, 'webhook', { n: (fired += 1) });
      await delay(100);
    }
    const [next, ...others] = ofOperation(client.messages, '1');
    expect(others.map(({ type }) => type)).toEqual(['complete']);
    expect(next?.payload).toEqual({
      data: {
        triggerCaptured: {
          payload: { n: expect.any(Number) },
          firedAt: expect.any(String),
          run: { databaseId: expect.any(Number), triggerType: 'WEBHOOK' },
          deadLetter: null,
        },
      },
    });
    expect(await countRuns(trigger)).toBe(fired);
    client.socket.close();
    await client.closed;
  });
});
