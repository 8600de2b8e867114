import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { serveExtension } from '#test/themes/extension-site.ts';
import { haveTheme, run } from '#test/themes/theme-calls.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await haveTheme(api, '2.1.0');
});

const get = (url: string) => api.app.inject({ method: 'GET', url });

/** An extension of the shop's own, installed unless told otherwise. */
async function own({ installed = true, version = '1.0.0+build.7' } = {}) {
  const site = await serveExtension(api, { type: 'private', version });
  const { extension } = await run(api, 'registerExtension', { url: site.url });
  const { installation } = installed
    ? await run(api, 'installExtension', { extensionId: extension?.id })
    : { installation: undefined };
  const root = `/_ext/acme/${site.manifest.name}/${encodeURIComponent(version)}`;
  return { site, root, installationId: installation?.id };
}

describe('an asset', () => {
  test('is served as it was registered, permanently, to everyone, without a request to the extension', async () => {
    const { site, root } = await own();
    const asked = site.requests.length;
    const css = await get(`${root}/assets/reviews.css`);
    expect([css.statusCode, css.payload]).toEqual([200, '.acme { color: var(--brand) }']);
    expect(css.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    const js = await get(`${root}/assets/reviews.js`);
    expect([js.statusCode, js.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(site.requests).toHaveLength(asked);
  });

  test('is served while some installation, even a disabled one, pins the version', async () => {
    const { root, installationId } = await own();
    await run(api, 'disableInstallation', { id: installationId });
    expect((await get(`${root}/assets/reviews.css`)).statusCode).toBe(200);
    await run(api, 'uninstallExtension', { installationId });
    expect((await get(`${root}/assets/reviews.css`)).statusCode).toBe(404);
    const unpinned = await own({ installed: false });
    const answer = await get(`${unpinned.root}/assets/reviews.css`);
    expect(answer.json()).toEqual({ message: 'Not found.', code: 'NOT_FOUND' });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('is always a declared file, whatever the path', async () => {
    const { root } = await own();
    const paths = [
      '/theme-extensions.json',
      '/assets',
      '/assets/',
      '/assets/other.css',
      '/..%2f..%2fassets/reviews.css',
      '/..%2fassets/reviews.css',
      '/%2e%2e/assets/reviews.css',
      '/assets//reviews.css',
      '//assets/reviews.css',
      '/assets/reviews.css%00',
      '/assets/reviews.css/',
      '/ASSETS/reviews.css',
      '/',
      '',
    ];
    for (const path of paths) expect([path, (await get(root + path)).statusCode]).toEqual([path, 404]);
    for (const url of ['/_ext', '/_ext/acme', '/_ext/acme/none/1.0.0/a.css', '/_ext/%zz/a/1/b.css']) {
      expect([url, (await get(url)).statusCode]).toEqual([url, 404]);
    }
  });

  test('is refused if the stored bytes differ from the registered ones', async () => {
    const { root, site } = await own();
    const { rows } = await api.database.system.query<{ storage_key: string }>(
      `SELECT a.storage_key FROM extension_assets a JOIN extensions e ON e.id = a.extension_id
       WHERE e.name = $1 AND a.path = '/assets/reviews.js'`,
      [site.manifest.name],
    );
    const file = join(api.dataDir, 'storage', rows[0]?.storage_key as string);
    await writeFile(file, 'alert(1)');
    const answer = await get(`${root}/assets/reviews.js`);
    expect([answer.statusCode, answer.json()]).toEqual([
      502,
      { code: 'INTEGRITY_FAILED', message: 'The file differs from what was registered.' },
    ]);
    expect(answer.headers['cache-control']).toBe('no-store');
    await rm(file);
    expect((await get(`${root}/assets/reviews.js`)).statusCode).toBe(502);
  });
});
