import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { runBulkAction } from '#src/operations/bulk-actions/run-bulk-action.service.ts';
import { makeRuns } from '#test/operations/bulk-actions/bulk-action-calls.ts';
import { test } from '#test/setup/app-test.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';

test('runs retry and its siblings rehearse an action, start it, follow it and print what was refused', async ({
  api,
}) => {
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const env = {
    CAUSEWAY_URL: `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`,
    CAUSEWAY_TENANT: 'acme-shop',
    CAUSEWAY_TOKEN: await api.token({ roles: ['user'] }),
  };
  const causeway = async (...argv: string[]) => {
    const outcome = { code: 0, out: '', err: '' };
    outcome.code = await runCauseway(argv, {
      out: (text) => void (outcome.out += text),
      err: (text) => void (outcome.err += text),
      cwd: '/',
      env,
    });
    return outcome;
  };
  /** Executes the next action that is started, as a worker would. */
  const work = async (): Promise<void> => {
    for (;;) {
      const [found] = await api.database.tenantQuery<{ id: number }>('acme-shop', {
        text: `SELECT id FROM bulk_actions WHERE status = 'queued'`,
      });
      if (found) return runBulkAction(api.services, { tenantId: 'acme-shop', bulkActionId: found.id });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const { workflowId } = await readyWorkflow(api, { nodes: [node('a', 'set')] });
  const [run] = (await makeRuns(api, workflowId, { count: 1 })) as [number];
  const filter = JSON.stringify({ workflowId: String(workflowId) });

  const dry = await causeway('runs', 'retry', '--filter', filter, '--dry-run');
  expect(dry).toEqual({
    code: 0,
    err: '',
    out: expect.stringMatching(new RegExp(`^1 would be taken\\.\n {2}${run} .*It failed`)),
  });
  const [retried] = await Promise.all([causeway('runs', 'retry', '--filter', filter), work()]);
  expect(retried).toEqual({ code: 0, err: '', out: 'completed: 1 of 1 done, 0 refused.\n' });
  const [cancelled] = await Promise.all([causeway('runs', 'cancel', '--filter', filter, '--json'), work()]);
  expect(JSON.parse(cancelled.out)).toMatchObject({ bulkAction: { status: 'COMPLETED', done: 1 } });
  await api.database.system.query('UPDATE workflows SET active = false WHERE id = $1', [workflowId]);
  const [refused] = await Promise.all([causeway('runs', 'rerun', '--filter', filter), work()]);
  expect(refused).toMatchObject({
    code: 1,
    out: expect.stringMatching(/0 of 1 done, 1 refused[^]*Workflow is not active/),
  });

  for (const action of ['replay', 'discard'])
    expect(await causeway('dead-letters', action, '--filter', '{}', '--dry-run')).toMatchObject({
      code: 0,
      out: '0 would be taken.\n',
    });
  expect(await causeway('runs', 'retry')).toMatchObject({ code: 2 });
  expect(await causeway('runs', 'retry', '--filter', '[]')).toMatchObject({ code: 2 });
  expect(await causeway('runs', 'retry', '--filter', '{"no": 1}')).toMatchObject({ code: 1 });

  expect(await causeway('failed-jobs', 'retry', '--filter', '{}')).toMatchObject({ code: 1 });
  Object.assign(env, { CAUSEWAY_TOKEN: await api.token({ roles: ['operator'] }), CAUSEWAY_TENANT: '' });
  expect(await causeway('failed-jobs', 'retry', '--filter', '{}', '--dry-run')).toMatchObject({
    code: 0,
    out: '0 would be taken.\n',
  });
  expect(await causeway('failed-jobs', 'retry', '--filter', '{}')).toMatchObject({
    code: 0,
    out: 'completed: 0 of 0 done, 0 refused.\n',
  });
});
