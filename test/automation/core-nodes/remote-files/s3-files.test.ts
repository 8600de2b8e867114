import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lacksS3, type S3Server, s3Suffix, startS3Server } from '#test/infra/storage/s3-server.ts';
import { openRemote } from './remote-ports.ts';

describe.skipIf(lacksS3)(`files in a bucket${s3Suffix}`, () => {
  let s3: S3Server;
  let remote: ReturnType<typeof openRemote>;
  let bucket: Readonly<Record<string, string>>;

  beforeAll(async () => {
    s3 = await startS3Server();
    const made = await s3.makeBucket('files');
    const endpoint = made.endpoint;
    remote = openRemote(new URL(endpoint).host, 'core:s3');
    bucket = {
      bucket: 'files',
      region: made.region,
      endpoint,
      path_style: 'true',
      access_key_id: made.credentials.accessKeyId,
      secret_access_key: made.credentials.secretAccessKey,
    };
  });
  afterAll(async () => {
    await remote.close();
    await s3.stop();
  });
  const run = (slug: string, config: object, more: object = {}) => remote.run(slug, config, { ...bucket, ...more });

  test('are written, listed, fetched, moved, linked and deleted', async () => {
    for (const name of ["a b'ü.csv", 'b.csv', 'deeper/c.csv'])
      await run('put-file', { path: `out/${name}`, content: `größe of ${name}` });
    const listed = await run('list-files', { path: 'out', limit: 1 });
    expect(listed.outputs).toMatchObject({ files: [{ name: "a b'ü.csv", path: "out/a b'ü.csv" }], complete: false });
    const rest = await run('list-files', { path: 'out', after: "a b'ü.csv" });
    expect(rest.outputs).toMatchObject({ files: [{ name: 'b.csv' }], complete: true });

    const got = await run('get-file', { path: "out/a b'ü.csv" });
    expect(got.outputs['file']).toMatchObject({ name: "a b'ü.csv", type: 'text/plain; charset=utf-8' });
    expect(String([...remote.files.values()].at(-1)?.bytes)).toBe("größe of a b'ü.csv");
    await run('put-file', { path: 'copy/', content: got.outputs['file'] });
    await run('move-file', { path: "copy/a b'ü.csv", to: 'copy/moved.csv' });
    const link = await run('file-link', { path: 'copy/moved.csv', seconds: 60 });
    expect(await (await fetch(String(link.outputs['url']))).text()).toBe("größe of a b'ü.csv");

    await run('move-file', { path: 'copy/moved.csv', to: '/copy/moved.csv' });
    expect((await run('list-files', { path: 'copy', prefix: 'moved' })).outputs).toMatchObject({ files: [{}] });
    await run('delete-file', { path: 'copy/moved.csv' });
    await run('delete-file', { path: 'copy/moved.csv' });
    await expect(run('get-file', { path: 'copy/moved.csv' })).rejects.toMatchObject({ code: 'S3_NOT_FOUND' });
  });

  test.each([
    ['a wrong secret', { secret_access_key: 'wrong-and-secret' }, 'S3_AUTH'],
    ['a user without rights', { access_key_id: 'test:guest', secret_access_key: 'two' }, 'S3_PERMISSION'],
    ['a bucket that is not there', { bucket: 'nothing' }, 'S3_NOT_FOUND'],
    ['a host that is not allowed', { endpoint: 'http://127.0.0.1:1' }, 'S3_REFUSED_PROTOCOL'],
    ['a private address', { endpoint: 'https://10.0.0.1' }, 'S3_REFUSED_ADDRESS'],
  ])('fail at %s', async (_what, more, code) => {
    const error = await run('list-files', {}, more).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, retryable: false });
    expect(String(error)).not.toContain('wrong-and-secret');
  });
});

describe('a hostile service', () => {
  let server: Server;
  let remote: ReturnType<typeof openRemote>;
  let answer: () => string;
  let fields: Readonly<Record<string, string>>;

  beforeAll(async () => {
    server = createServer((_request, response) => response.writeHead(200).end(answer()));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    remote = openRemote(host, 'core:s3');
    const access = { access_key_id: 'a', secret_access_key: 'b', region: 'us-east-1', path_style: 'true' };
    fields = { ...access, bucket: 'files', endpoint: `http://${host}` };
  });
  afterAll(async () => {
    await remote.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const page = (keys: string[], more = '') =>
    `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')}${more}</ListBucketResult>`;

  test('shows no names that lead elsewhere', async () => {
    answer = () => page(['out/../up', 'out/..', 'other/x', 'out/a&#10;b', 'out/good.csv']);
    const { outputs } = await remote.run('list-files', { path: 'out' }, fields);
    expect(outputs).toMatchObject({ files: [{ name: 'good.csv' }] });
  });

  test('fails the step with an endless list or an endless answer', async () => {
    const endless = '<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>';
    answer = () => page([], endless);
    await expect(remote.run('list-files', {}, fields)).rejects.toMatchObject({ code: 'S3_TOO_MANY_FILES' });
    answer = () => 'x'.repeat(11 * 1024 * 1024);
    await expect(remote.run('list-files', {}, fields)).rejects.toMatchObject({ code: 'S3_TOO_LARGE' });
  });
});
