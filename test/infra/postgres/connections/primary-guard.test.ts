import { expect, onTestFinished, test } from 'vitest';
import { DatabaseClient } from '#src/infra/postgres/connections/database-client.ts';
import { PrimaryGuard } from '#src/infra/postgres/connections/primary-guard.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { cloneDatabase } from '#test/setup/database.ts';

test('connections to a former primary, which may be frozen and close nothing, are given up once a higher timeline is met', async () => {
  const clone = await cloneDatabase();
  onTestFinished(() => clone.drop());
  const guard = new PrimaryGuard();
  const connect = async (timeline: number): Promise<DatabaseClient> => {
    const client = new DatabaseClient({ connectionString: clone.url });
    await client.connect();
    await guard.admit(client, { cluster: '1', timeline, isKnown: true });
    return client;
  };
  const former = [await connect(1), await connect(1)];
  const waiting = former.map((client) => client.query('SELECT pg_sleep(60)').catch((error: unknown) => error));
  const present = await connect(2);
  for (const failure of await Promise.all(waiting)) expect(failure).toSatisfy(isOutage);
  expect((await present.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  expect(guard.alarm).toBeUndefined();
  await present.end();
});
