import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sweepUploads } from '#src/imports/uploads/uploads.service.ts';
import { infraTasks } from '#src/infra/background/infra-tasks.ts';
import { atSigned, makeProfile, upload } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const announce = async (size?: number) =>
  (
    await callPlatform(api, 'POST', '/io/uploads', {
      body: { filename: 'stock.csv', content_type: 'text/csv', ...(size !== undefined && { size }) },
    })
  ).body as unknown as { upload_id: number; url: string; method: string; headers: object; expires_at: string };

const put = async (url: string, content: string | Buffer) => {
  const { statusCode, payload } = await atSigned(api, 'PUT', url, content);
  return [statusCode, payload === '' ? undefined : (JSON.parse(payload) as { code: string }).code];
};

describe('an upload', () => {
  test('gets a signed address that its file is sent to, once', async () => {
    const made = await announce(9);
    expect(made).toEqual({
      upload_id: expect.any(Number),
      url: expect.stringMatching(/^http:\/\/localhost\/v1\/io\/uploads\/.*&signature=[\w-]+$/),
      method: 'PUT',
      headers: { 'content-type': 'text/csv' },
      expires_at: expect.any(String),
    });
    const left = new Date(made.expires_at).getTime() - Date.now();
    expect(left).toBeGreaterThan(800_000);
    expect(left).toBeLessThanOrEqual(900_000);
    expect(await put(made.url, 'sku,a\n1,2')).toEqual([204, undefined]);
    expect(await put(made.url, 'sku,a\n1,2')).toEqual([409, 'CONFLICT']);
  });

  test('accepts no file at a changed address, or after its time', async ({ expect }) => {
    const { url, upload_id: id } = await announce();
    const other = await announce();
    for (const changed of [
      url.replace(`/${id}?`, `/${other.upload_id}?`),
      url.replace('acme-shop', 'acme-outlet'),
      url.replace(/expires=(\d+)/, (_all, at) => `expires=${Number(at) + 60}`),
      url.replace(/&signature=.*/, ''),
    ])
      expect(await put(changed, 'x')).toEqual([403, 'INVALID_SIGNATURE']);
    const late = api.deps
      .urlSigner('/io/uploads')
      .sign(`acme-shop/${id}`, { ttlSeconds: 900, now: Date.now() - 901_000 });
    expect(await put(url.replace(/expires=.*/, `expires=${late.expires}&signature=${late.signature}`), 'x')).toEqual([
      403,
      'INVALID_SIGNATURE',
    ]);
    expect(await put(url, 'x')).toEqual([204, undefined]);
  });

  test('accepts no file of another size than announced, and the right one afterwards', async () => {
    const { url } = await announce(4);
    for (const content of ['abc', 'abcde', '']) expect(await put(url, content)).toEqual([422, 'VALIDATION_FAILED']);
    expect(await put(url, 'abcd')).toEqual([204, undefined]);
  });

  test('accepts no file of another type than announced, except application/octet-stream', async () => {
    const { url } = await announce();
    const putAs = async (type: string) => {
      const { pathname, search } = new URL(url);
      const headers = { 'content-type': type };
      const { statusCode, payload } = await api.app.inject({
        method: 'PUT',
        url: pathname + search,
        payload: 'x',
        headers,
      });
      return [statusCode, payload];
    };
    expect(await putAs('application/pdf')).toEqual([422, expect.stringContaining('announced as text/csv')]);
    expect(await putAs('application/octet-stream')).toEqual([204, '']);
  });

  test('can be sent again after its sender disconnected', async () => {
    const { url } = await announce();
    const { pathname, search } = new URL(url);
    const server = createServer((incoming, answer) => api.app.routing(incoming, answer));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const sending = request({ port, method: 'PUT', path: pathname + search, headers: { 'content-length': '1000' } });
    sending.on('error', () => undefined);
    sending.write('half of it');
    await new Promise<void>((resolve) => server.once('request', () => resolve()));
    sending.destroy();
    await expect.poll(() => put(url, 'whole'), { timeout: 20_000 }).toEqual([204, undefined]);
    await new Promise((resolve) => server.close(resolve));
  });

  test('is refused with an impossible size or type', async () => {
    const refused = async (body: object) =>
      (await callPlatform(api, 'POST', '/io/uploads', { body: { filename: 'a', content_type: 'text/csv', ...body } }))
        .body;
    expect(await refused({ size: 2 ** 30 + 1 })).toMatchObject({ errors: { size: ['Use at most 1073741824 bytes.'] } });
    expect(await refused({ content_type: 'csv' })).toMatchObject({ errors: { content_type: [expect.any(String)] } });
    expect(await refused({ filename: '' })).toMatchObject({ errors: { filename: [expect.any(String)] } });
  });

  test('is deleted with its file if it is not imported within a day, unless another upload has the same file', async () => {
    const [first, second] = [await upload(api, 'sku,quantity\nA,1\n'), await upload(api, 'sku,quantity\nA,1\n')];
    const age = (id: number) =>
      api.database.tenantQuery<{ storage_key: string }>('acme-shop', {
        text: `UPDATE uploads SET created_at = now() - interval '25 hours' WHERE tenant_id = 'acme-shop' AND id = $1 RETURNING storage_key`,
        values: [id],
      });
    const [{ storage_key: key } = { storage_key: '' }] = await age(first);
    while (await sweepUploads(api.deps));
    expect(await api.deps.storage.exists(key)).toBe(true);
    await age(second);
    while (await sweepUploads(api.deps));
    expect(await api.deps.storage.exists(key)).toBe(false);
    await makeProfile(api, { name: 'late' });
    const late = await callPlatform(api, 'POST', '/io/imports', { body: { upload_id: second, profile: 'late' } });
    expect(late).toMatchObject({ status: 422, body: { errors: { upload_id: [expect.any(String)] } } });
  });

  test('is deleted a day after a killed process left it half written, and kept while it arrives', async () => {
    const sweep = infraTasks.find(({ name }) => name === 'sweep-half-written-files');
    const directory = join(api.dataDir, 'storage', 'incoming');
    await mkdir(directory, { recursive: true });
    const leave = async (name: string, hours: number): Promise<void> => {
      const at = new Date(Date.now() - hours * 3_600_000);
      await writeFile(join(directory, name), 'sku,quan');
      await utimes(join(directory, name), at, at);
    };
    await leave('cut', 25);
    await leave('arriving', 23);
    await sweep?.work(api.deps, new AbortController().signal);
    expect(await readdir(directory)).toEqual(['arriving']);
  });
});
