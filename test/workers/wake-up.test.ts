import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitForRun } from '#src/automation/runs/live/run-waiting.service.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { fireRun, node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import type { Engine } from '#workers/engine/engine.ts';

/** A server that hears of each call, and never answers. */
const silent = createServer();
beforeAll(async () => {
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

const rows = async ({ system }: Database): Promise<string[]> =>
  (await system.query<{ name: string }>('SELECT name FROM written ORDER BY name')).rows.map(({ name }) => name);

describe.each(['listen', 'poll'] as const)('Processes that learn of changes by the form: %s', (wakeUp) => {
  let clone: Awaited<ReturnType<typeof cloneDatabase>>;
  let one: TestApp;
  let other: TestApp;
  let engine: Engine;
  beforeAll(async () => {
    clone = await cloneDatabase();
    one = await startTestApp({ databaseUrl: clone.url, wakeUp });
    other = await startTestApp({ databaseUrl: clone.url, dataDir: one.dataDir, wakeUp });
    engine = await startTestEngine(other, { allow: `127.0.0.1:${(silent.address() as AddressInfo).port}` });
    await one.database.withSystem((tx) => tx.query('SET LOCAL ROLE NONE; CREATE TABLE written (name text)'));
    await one.database.withSystem((tx) =>
      tx.query('SET LOCAL ROLE NONE; GRANT SELECT, INSERT ON written TO causeway_system'),
    );
  });
  afterAll(async () => {
    await engine.stop();
    await other.close();
    await one.close();
    await clone.drop();
  });

  test('a listener that reads whenever it is woken finds what another process wrote, before and after', async () => {
    const channel = { name: 'test_written', parse: String, keys: () => ['all'] };
    const write = (name: string) =>
      one.database.withSystem(async (tx) => {
        await tx.query('INSERT INTO written VALUES ($1)', [name]);
        tx.notify(channel.name, [name]);
      });
    let seen: string[] = [];
    const read = () => void rows(other.database).then((found) => (seen = found));
    await write('before');
    const detach = other.deps.live.subscribe(channel, 'all', { onEntry: read, onResync: read });
    await expect.poll(() => seen, { timeout: 30_000 }).toEqual(['before']);
    await write('later');
    await expect.poll(() => seen, { timeout: 30_000 }).toEqual(['before', 'later']);
    expect(other.deps.live.isListening(channel)).toBe(true);
    await other.deps.live.settled();
    detach();
  });

  test('a run is executed by another process than accepted it, and whoever waits learns of its end', async () => {
    const workflow = await readyWorkflow(one, { nodes: [node('set', 'set', { values: { done: true } })] });
    const run = await waitForRun(one.deps, 'acme-shop', await fireRun(one, workflow), 60_000);
    expect(run).toMatchObject({ status: 'succeeded' });
  });

  test('a run whose call is in progress in one process is cancelled by another', async () => {
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const workflow = await readyWorkflow(one, { nodes: [node('call', 'http-request', { url, method: 'GET' })] });
    const called = once(silent, 'request');
    const runId = await fireRun(one, workflow);
    await called;
    await one.graphql('mutation ($input: CancelRunInput!) { cancelRun(input: $input) { __typename } }', {
      input: { id: runId },
    });
    expect(await untilRun(one, runId, 'cancelled')).toMatchObject({ result: null });
  });
});
