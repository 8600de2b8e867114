import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { listUpdates, untilFollowed } from '#test/setup/lists.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { makeRun, makeWorkflow, moveRun } from '#test/setup/runs.ts';

let api: TestApp;
let workflowId: number;
test.beforeAll(async ({ api: started }) => {
  api = started;
  workflowId = await makeWorkflow(api.deps, 'acme-shop', 'Orders to ERP');
});

describe('a filter that Postgres would refuse', () => {
  test.for([
    ['runsUpdated', { search: 'a\0b' }],
    ['runUpdated', { search: 'a\0b' }],
    ['runsUpdated', { search: 'a\ud800b' }],
    ['runsUpdated', { search: 'x'.repeat(10_000) }],
    ['runUpdated', { search: 'x'.repeat(10_000) }],
  ] as const)('is refused by %s, and does not hold up other readers of the list', async ([field, filter]) => {
    const client = await connect(api);
    const other = await connect(api);
    subscribe(other, '1', 'subscription { runsUpdated { change id } }');
    const run = await makeRun(api.deps, 'acme-shop', workflowId);
    const touch = () => moveRun(api.deps, 'acme-shop', run, 'failed', { error: 'x' });
    await untilFollowed(other, { field: 'runsUpdated', touches: [touch] });
    subscribe(client, 'bad', `subscription ($filter: RunFilter) { ${field}(filter: $filter) { __typename } }`, {
      filter,
    });
    await client.until((messages) => ofOperation(messages, 'bad').some(({ type }) => type === 'complete'));
    expect(ofOperation(client.messages, 'bad')[0]?.payload?.errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
    const before = listUpdates(other, 'runsUpdated').length;
    await touch();
    await other.until(() => listUpdates(other, 'runsUpdated').length > before);
    expect(api.logLines.filter((line) => line.includes('could not be read'))).toEqual([]);
    client.socket.close();
    other.socket.close();
  });
});
