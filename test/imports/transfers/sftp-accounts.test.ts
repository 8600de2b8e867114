import { afterAll, describe, expect } from 'vitest';
import { makeProfile } from '#test/imports/import-file.ts';
import { startSftpServer, type TestSftpServer, user } from '#test/infra/sftp/sftp-server.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { makeAccount, makeSchedule, mutate } from './transfers.ts';

let api: TestApp;
let server: TestSftpServer;
test.beforeAll(async ({ api: started }) => {
  api = started;
  server = await startSftpServer();
  api.egressAllow.add(`127.0.0.1:${server.port}`);
});
afterAll(() => server.close());

const hostKey = `SHA256:${'A'.repeat(43)}`;
const input = { name: 'ERP', host: 'files.example.com', ...user, hostKey };
const create = (given: object) =>
  mutate(api, 'createSftpAccount', { input: { ...input, ...given }, select: 'sftpAccount { id }' });

describe('an SFTP account', () => {
  test('shows everything except its password, which is encrypted', async () => {
    const id = await makeAccount(api, server, { name: 'Shown' });
    const { data } = await api.graphql<{ sftpAccount: object }>(
      'query ($id: ID!) { sftpAccount(id: $id) { name host port username loginBy hostKey } }',
      { id },
    );
    const { host, port, hostKey: shown } = server;
    expect(data.sftpAccount).toEqual({
      name: 'Shown',
      host,
      port,
      username: user.username,
      loginBy: 'PASSWORD',
      hostKey: shown,
    });
    const [row] = await api.database.tenantQuery<{ text: string }>('acme-shop', {
      text: `SELECT t::text AS text FROM sftp_accounts t WHERE name = 'Shown'`,
    });
    expect(row?.text).not.toContain(user.password);
    expect(api.logLines.join('\n')).not.toContain(user.password);
  });

  test('is refused with the host key of its server, and created once a person sends that key', async () => {
    const { host, port } = server;
    const untold = await create({ name: 'First sight', host, port, hostKey: null });
    expect(untold).toMatchObject({
      __typename: 'ValidationError',
      fields: [{ path: 'hostKey', messages: [expect.stringContaining(`shows ${server.hostKey} now`)] }],
    });
    expect(await create({ name: 'First sight', host, port, hostKey: server.hostKey })).toMatchObject({
      __typename: 'CreateSftpAccountPayload',
    });
  });

  test.for<[string, object]>([
    ['host', { host: '127.0.0.1' }],
    ['host', { host: 'localhost' }],
    ['host', { host: 'sftp://files.example.com' }],
    ['port', { port: 80 }],
    ['hostKey', { hostKey: 'SHA256:short' }],
    ['password', { password: null }],
    ['privateKey', { privateKey: 'no key', password: null }],
    ['privateKey', { privateKey: 'a key beside the password' }],
    ['passphrase', { passphrase: 'of no key' }],
  ])('is refused at its %s for %o', async ([path, given]) => {
    expect(await create(given)).toMatchObject({ __typename: 'ValidationError', fields: [{ path }] });
  });

  test('has a unique name, and cannot be deleted while a schedule uses it', async () => {
    const id = await makeAccount(api, server, { name: 'Used' });
    expect(await create({ name: 'Used' })).toMatchObject({ fields: [{ path: 'name' }] });
    await makeProfile(api, { name: 'used' });
    const scheduleId = await makeSchedule(api, 'Import', { accountId: id, profile: 'used' });
    const remove = () => mutate(api, 'deleteSftpAccount', { input: { id }, select: 'deletedId' });
    expect(await remove()).toMatchObject({ __typename: 'ConflictError' });
    await mutate(api, 'deleteImportSchedule', { input: { id: scheduleId }, select: 'deletedId' });
    expect(await remove()).toMatchObject({ deletedId: id });
  });

  test('needs its login again if its server changes', async () => {
    const id = await makeAccount(api, server, { name: 'Moved' });
    const change = (given: object) =>
      mutate(api, 'updateSftpAccount', { input: { id, ...given }, select: 'sftpAccount { host }' });
    const host = 'files.example.com';
    for (const given of [{ host }, { host, port: 2222 }])
      expect(await change(given)).toMatchObject({ __typename: 'ValidationError', fields: [{ path: 'password' }] });
    expect(await change({ username: 'other' })).toMatchObject({ sftpAccount: { host: server.host } });
    expect(await change({ host, port: 22, password: 'of the other server' })).toMatchObject({ sftpAccount: { host } });
  });

  test('cannot be seen, changed or used by another tenant', async () => {
    const id = await makeAccount(api, server, { name: 'Foreign' });
    const outlet = { tenant: 'acme-outlet' };
    const { data } = await api.graphql<{ sftpAccount: null }>(
      'query ($id: ID!) { sftpAccount(id: $id) { id } }',
      { id },
      outlet,
    );
    expect(data.sftpAccount).toBeNull();
    for (const [name, given, select] of [
      ['updateSftpAccount', { name: 'Mine' }, 'sftpAccount { id }'],
      ['acceptSftpHostKey', { hostKey }, 'sftpAccount { id }'],
      ['deleteSftpAccount', {}, 'deletedId'],
    ] as const)
      expect(await mutate(api, name, { input: { id, ...given }, select }, outlet)).toMatchObject({
        __typename: 'NotFoundError',
      });
    const schedule = { accountId: id, profile: 'none', cron: '@daily' };
    expect(
      await mutate(api, 'createImportSchedule', { input: schedule, select: 'importSchedule { id }' }, outlet),
    ).toMatchObject({ fields: [{ path: 'accountId' }] });
  });

  test('can only be created by admins', async () => {
    const { errors } = await api.graphql(
      'mutation ($input: CreateSftpAccountInput!) { createSftpAccount(input: $input) { __typename } }',
      { input },
      { roles: ['user'] },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });
});

describe('an import schedule', () => {
  test.for<[string, object]>([
    ['cron', { cron: 'every day' }],
    ['timezone', { timezone: 'Berlin' }],
    ['profile', { profile: 'unknown' }],
    ['path', { path: '../others' }],
    ['pattern', { pattern: 'a/*.csv' }],
    ['movedTo', { movedTo: '.' }],
    ['movedTo', { movedTo: '../elsewhere' }],
    ['maxFiles', { maxFiles: 0 }],
    ['accountId', { accountId: null }],
    ['accountId', { accountId: '999999' }],
    ['sourceId', { sourceId: '1' }],
  ])('is refused at its %s for %o', async ([path, given]) => {
    const accountId = await makeAccount(api, server);
    const name = `profile ${accountId}`;
    await makeProfile(api, { name });
    const made = { accountId, profile: name, cron: '0 5 * * *', ...given };
    const answer = await mutate(api, 'createImportSchedule', { input: made, select: 'importSchedule { id }' });
    expect(answer).toMatchObject({ __typename: 'ValidationError', fields: [{ path }] });
  });
});
