import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createCredential } from '#src/automation/credentials/credentials.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { sftpConfig, startSftpServer } from '#test/infra/sftp/sftp-server.ts';
import { lacksS3, s3Config, s3Suffix, startS3Server } from '#test/infra/storage/s3-server.ts';
import { test } from '#test/setup/app-test.ts';
import { fireRun, readyWorkflow, untilRun } from '#test/setup/engine.ts';

const page = await readFile(new URL('../../../../docs/protocols.md', import.meta.url), 'utf8');
const example = (name: string): unknown =>
  JSON.parse(new RegExp(`^\`\`\`json ${name}\\n([^\`]*)\`\`\``, 'm').exec(page)?.[1] ?? '');

describe.skipIf(lacksS3)(`the page on protocols${s3Suffix}`, () => {
  test('copies a file from an SFTP server into a bucket', async ({ api, startEngine, onTestFinished }) => {
    const sftp = await startSftpServer();
    onTestFinished(() => sftp.close());
    const s3 = await startS3Server();
    onTestFinished(() => s3.stop());
    const bucket = await s3.makeBucket('files');
    await mkdir(join(sftp.root, 'out'));
    await writeFile(join(sftp.root, 'out', 'orders.csv'), 'sku,qty\nA');
    const actor = systemActor('acme', 'acme-shop');
    const added = [
      await createCredential(api.deps, actor, {
        credentialTypeSlug: 'core:sftp',
        name: 'ERP',
        config: sftpConfig(sftp),
      }),
      await createCredential(api.deps, actor, {
        credentialTypeSlug: 'core:s3',
        name: 'Archive',
        config: s3Config(bucket),
      }),
    ];
    expect(added.map(({ id }) => Number(id))).toEqual([1, 2]);
    await startEngine({ allow: `127.0.0.1:${sftp.port},${new URL(bucket.endpoint).host}` });
    const runId = await fireRun(
      api,
      await readyWorkflow(api, example('blob') as Parameters<typeof readyWorkflow>[1]),
      example('payload'),
    );
    const { error, result } = await untilRun(api, runId);
    expect({ error, result }).toEqual({ error: null, result: example('result') });
  });
});
