import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Database } from '#src/infra/postgres/database.ts';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { test } from '#test/setup/app-test.ts';
import { startTestEngine } from '#test/setup/engine.ts';

const leaseMs = 900;

test('after an outage that outlasts leases, no worker declares another dead before it could renew its own', async ({
  api,
}) => {
  let isAway = false;
  const { system } = api.database;
  const meet = (): void => {
    if (isAway) throw new OutageError('away');
  };
  const query = async (...asked: [never]) => {
    meet();
    return system.query(...asked);
  };
  const database = {
    ...api.database,
    system: { query },
    withSystem: async (work) => {
      meet();
      return api.database.withSystem(work);
    },
  } as Database;
  const flaky = { deps: { ...api.deps, database } };
  const engines = [await startTestEngine(flaky, { leaseMs })];
  // It renews and reconciles half a turn after the first.
  await delay(150);
  engines.push(await startTestEngine(flaky, { leaseMs }));
  const ids = () => engines.map((engine) => engine.stats().workerId);
  const before = ids();
  isAway = true;
  await delay(2 * leaseMs);
  isAway = false;
  await delay(3 * leaseMs);
  expect(ids()).toEqual(before);
  await Promise.all(engines.map((engine) => engine.stop()));
});
