import { expect } from 'vitest';
import { createCredential } from '#src/automation/credentials/credentials.service.ts';
import { noticeExpiries } from '#src/automation/credentials/expiry-notices.service.ts';
import { declarations } from '#src/domains/domains.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import { fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

// Some events are written by SQL that does the whole work, so only what is published can be held against the declaration.
test('a published event has exactly the data that its topic declares', async ({ api, startEngine }) => {
  await startEngine();
  for (const [nodes, status] of [
    [[node('set', 'set', { values: {} })], 'succeeded'],
    [[node('fail', 'fail', { message: 'no' })], 'failed'],
  ] as const) {
    const runId = await fireRun(api, await readyWorkflow(api, { nodes: [...nodes] }));
    await untilRun(api, runId, status);
  }
  for (const days of [5, 30]) {
    await createCredential(api.deps, systemActor('acme', 'acme-shop'), {
      credentialTypeSlug: 'core:bearer',
      name: `Ends in ${days} days`,
      config: { token: 'a-token' },
      expiresAt: new Date(Date.now() + days * 86_400_000),
    });
  }
  await api.database.withTenant(
    'acme-shop',
    (tx) => tx.$executeRaw`UPDATE credentials SET expires_at = now() WHERE name = 'Ends in 30 days'`,
  );
  await noticeExpiries(api.deps);
  const { rows } = await api.database.system.query<{ topic: string; data: object }>(
    'SELECT topic, data FROM outbox_events ORDER BY topic',
  );
  expect(rows.map(({ topic }) => topic)).toEqual([
    'credential.expired',
    'credential.expiring',
    'run.failed',
    'run.finished',
  ]);
  for (const { topic, data } of rows) {
    const declared = declarations.topics.find(({ name }) => name === topic);
    expect(declared?.data.parse(data)).toEqual(data);
  }
});
