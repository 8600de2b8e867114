import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { mutate } from '#test/imports/transfers/transfers.ts';
import { test } from '#test/setup/app-test.ts';

test('transfer list prints schedules and their faults, and transfer run runs one', async ({ api }) => {
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const env = {
    CAUSEWAY_URL: `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`,
    CAUSEWAY_TENANT: 'acme-shop',
    CAUSEWAY_API_KEY: await api.apiKey(['io:read', 'io:write']),
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
  expect(await causeway('transfer', 'list')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/no import or export/),
  });

  const account = { name: 'ERP', host: 'files.example.com', username: 'shop', password: 'a password' };
  const made = await mutate(api, 'createSftpAccount', {
    input: { ...account, hostKey: `SHA256:${'A'.repeat(43)}` },
    select: 'sftpAccount { id }',
  });
  const { id: accountId } = made['sftpAccount'] as { id: string };
  const answer = await mutate(api, 'createExportSchedule', {
    input: { accountId, target: 'stock', filename: 'stock.csv', cron: '@daily' },
    select: 'exportSchedule { databaseId }',
  });
  const { databaseId } = answer['exportSchedule'] as { databaseId: number };
  expect(await causeway('transfer', 'list')).toEqual({
    code: 0,
    out: `export ${databaseId}  ERP  stock  @daily UTC  last success never\n`,
    err: '',
  });
  expect(await causeway('transfer', 'run', 'export', String(databaseId))).toMatchObject({ code: 0, err: '' });
  const asked = await api.database.tenantQuery('acme-shop', {
    text: 'SELECT id FROM transfers WHERE requested_at IS NOT NULL',
  });
  expect(asked).toEqual([{ id: databaseId }]);

  await api.database.tenantQuery('acme-shop', {
    text: `UPDATE transfers SET last_error = 'It is away.', failures = 1`,
  });
  expect(await causeway('transfer', 'list')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/\n {4}It is away\.\n$/),
  });
  const { out } = await causeway('transfer', 'list', '--json');
  expect(JSON.parse(out)).toMatchObject({ schedules: [{ direction: 'export', databaseId, failures: 1 }] });
  expect(await causeway('transfer', 'run', 'import', String(databaseId))).toMatchObject({ code: 1 });
  expect(await causeway('transfer', 'run', 'stock')).toMatchObject({ code: 2 });
});
