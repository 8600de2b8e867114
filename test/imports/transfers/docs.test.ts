import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeProfile, startImportWorker } from '#test/imports/import-file.ts';
import { startSftpServer, user } from '#test/infra/sftp/sftp-server.ts';
import { test } from '#test/setup/app-test.ts';
import { place, run } from './transfers.ts';

const page = await readFile(new URL('../../../docs/files-by-schedule.md', import.meta.url), 'utf8');
const example = (name: string): string =>
  new RegExp(`^\`\`\`graphql ${name}\\n([^\`]*)\`\`\``, 'm').exec(page)?.[1] ?? '';

test('the examples of the docs page fetch, import, export and put files', async ({ api, onTestFinished }) => {
  const server = await startSftpServer();
  onTestFinished(() => server.close());
  api.egressAllow.add(`127.0.0.1:${server.port}`);
  await startImportWorker(api);
  await makeProfile(api, { name: 'Products of the ERP', target: 'products' });
  const send = async (name: string, variables: object = {}) => {
    const document = example(name)
      .replace('"files.example.com"', `"127.0.0.1"\n port: ${server.port}`)
      .replace(/SHA256:[\w+/]{43}/, server.hostKey);
    const { data, errors } = await api.graphql<Record<string, Record<string, { id: string }>>>(document, variables);
    expect(errors).toBeUndefined();
    return Object.values(Object.values(data)[0] ?? {})[0];
  };
  expect(example('account')).toContain(user.password);
  const accountId = (await send('account'))?.id;
  const importing = (await send('schedule', { accountId }))?.id ?? '';
  expect((await send('source'))?.id).toBeDefined();
  const exporting = (await send('export', { accountId }))?.id ?? '';

  for (const directory of ['out', 'in']) await mkdir(join(server.root, directory));
  await place(server, 'out/products-1.csv', 'sku,name\nMUG-1,Mug\n');
  expect(await run(api, 'Import', importing)).toMatchObject({ lastError: null });
  expect(await readdir(join(server.root, 'out/processed'))).toEqual([expect.stringMatching(/^\d+-products-1\.csv$/)]);
  expect(await run(api, 'Export', exporting)).toMatchObject({ lastError: null });
  expect(await readdir(join(server.root, 'in'))).toEqual([expect.stringMatching(/^products-\d{4}-\d\d-\d\d\.csv$/)]);
  expect(await send('look')).toMatchObject([{ node: { profile: 'Products of the ERP', failures: 0 } }]);
});
