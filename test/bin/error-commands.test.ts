import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { finishRuns } from '#src/automation/runs/run-finishing.service.ts';
import { makeRuns } from '#test/operations/bulk-actions/bulk-action-calls.ts';
import { test } from '#test/setup/app-test.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';

test('errors list prints the groups of failures, its siblings change one, and a bulk command takes one', async ({
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
  expect(await causeway('errors', 'list')).toEqual({ code: 0, err: '', out: 'No error groups match.\n' });
  const { workflowId } = await readyWorkflow(api, { nodes: [node('a', 'set')] });
  const ids = await makeRuns(api, workflowId, { count: 3, status: 'queued' });
  await api.database.withSystem((tx) =>
    finishRuns(
      tx,
      api.services.automation,
      null,
      ids.map((runId) => ({
        tenantId: 'acme-shop',
        runId,
        status: 'failed',
        error: `Order ${runId} is unknown.`,
        result: null,
      })),
    ),
  );
  const listed = await causeway('errors', 'list', '--json', '--kind', 'run');
  const [{ groupId }] = (JSON.parse(listed.out) as { errorGroups: [{ groupId: string }] }).errorGroups;
  expect(await causeway('errors', 'list', '--search', 'is unknown')).toEqual({
    code: 0,
    err: '',
    out: expect.stringMatching(
      new RegExp(
        `^${groupId} {2}open {2}3 now, .*\n {4}run RUN_FAILED: Order <value> is unknown\\.\n {4}Workflow \\d+ \\(3\\)\n$`,
      ),
    ),
  });
  expect(await causeway('runs', 'retry', '--group', groupId, '--dry-run')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^3 would be taken\./),
  });
  expect(await causeway('dead-letters', 'replay', '--group', groupId, '--dry-run')).toMatchObject({
    out: '0 would be taken.\n',
  });
  const other = JSON.stringify({ workflowId: String(workflowId + 1) });
  expect(await causeway('runs', 'retry', '--group', groupId, '--filter', other, '--dry-run')).toMatchObject({
    out: '0 would be taken.\n',
  });
  expect(await causeway('errors', 'mute', groupId)).toMatchObject({ code: 0, out: `${groupId} is muted.\n` });
  expect(await causeway('errors', 'list')).toMatchObject({ out: 'No error groups match.\n' });
  expect(await causeway('errors', 'list', '--status', 'muted', '--status', 'resolved')).toMatchObject({
    out: expect.stringContaining(groupId),
  });
  expect(await causeway('errors', 'resolve', groupId)).toMatchObject({ out: `${groupId} is resolved.\n` });
  expect(await causeway('errors', 'reopen', groupId, '--json')).toMatchObject({
    out: `${JSON.stringify({ errorGroup: { groupId, status: 'OPEN', assignee: null } })}\n`,
  });
  expect(await causeway('errors', 'mute', groupId, '--until', '2020-01-01T00:00:00Z')).toMatchObject({
    code: 1,
    err: expect.stringContaining('in the future'),
  });
  const { data } = await api.graphql<{ me: { user: { id: number } } }>(
    '{ me { user { id } } }',
    {},
    { roles: ['user'] },
  );
  expect(await causeway('errors', 'assign', groupId, '--user', String(data.me.user.id))).toMatchObject({
    code: 0,
    out: expect.stringMatching(/ is open, assigned to .+\.\n$/),
  });
  expect(await causeway('errors', 'assign', groupId)).toMatchObject({ out: `${groupId} is open.\n` });
  expect(await causeway('errors', 'assign', groupId, '--user', 'me')).toMatchObject({ code: 2 });
  expect(await causeway('errors', 'mute')).toMatchObject({ code: 2 });
  expect(await causeway('errors', 'list', '--limit', '0')).toMatchObject({ code: 2 });
  expect(await causeway('errors', 'resolve', 'nonsense')).toMatchObject({ code: 1 });
});
