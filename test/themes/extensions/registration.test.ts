import { describe, expect } from 'vitest';
import type { Manifest } from '#src/themes/manifest/manifest.ts';
import { serve } from '#test/infra/egress/loopback-server.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type ExtensionSite, newManifest, serveExtension, sha384 } from '#test/themes/extension-site.ts';
import { run } from '#test/themes/theme-calls.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const register = (url: string, tenant = 'acme-shop') => run(api, 'registerExtension', { url }, { tenant });
const manifestPath = '/theme-extensions.json';

describe('registering an extension', () => {
  test('stores the running version once, and publishes an event', async () => {
    const site = await serveExtension(api);
    const outcome = await register(`${site.url}/`);
    const { name } = site.manifest;
    expect(outcome.extension).toMatchObject({
      vendor: 'acme',
      name,
      version: '1.0.0',
      title: 'Reviews',
      type: 'PUBLIC',
      status: 'DRAFT',
      manifest: site.manifest,
      integrity: {
        '/assets/reviews.css': sha384(site.files['/assets/reviews.css'] as string),
        '/assets/reviews.js': sha384(site.files['/assets/reviews.js'] as string),
      },
    });
    expect(await register(site.url)).toEqual(outcome);
    const { rows } = await api.database.system.query(
      `SELECT topic, tenant_id FROM outbox_events WHERE data ->> 'name' = $1`,
      [name],
    );
    expect(rows).toEqual([{ topic: 'extension.registered', tenant_id: 'acme-shop' }]);
  });

  test('keeps the order of settings, unlike jsonb', async () => {
    const site = await serveExtension(api);
    const { extension } = await register(site.url);
    const { blocks } = (extension as unknown as { manifest: Manifest }).manifest;
    expect(Object.keys(blocks[0]?.settings ?? {})).toEqual(['heading', 'unit', 'most', 'colour']);
  });

  test('gives the name permanently to the first tenant', async () => {
    const site = await serveExtension(api);
    await register(site.url);
    site.manifest = { ...site.manifest, version: '9.0.0' };
    expect(await register(site.url, 'acme-outlet')).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('belongs to another tenant'),
    });
  });

  test('refuses other content under a registered version', async () => {
    const site = await serveExtension(api);
    await register(site.url);
    const changes: (() => void)[] = [
      () => (site.manifest = { ...site.manifest, title: 'Another' }),
      () => (site.files['/assets/reviews.css'] = 'a {}'),
    ];
    const { manifest, files } = site;
    for (const change of changes) {
      Object.assign(site, { manifest, files: { ...files } });
      change();
      expect(await register(site.url)).toMatchObject({ code: 'CONFLICT' });
    }
  });
});

describe('a hostile or broken site', () => {
  const at = async (path: string, answer: ExtensionSite['answers'][string]) => {
    const site = await serveExtension(api);
    site.answers[path] = answer;
    return register(site.url);
  };
  const refused = (path: string, message: RegExp | string) => ({
    code: 'VALIDATION_FAILED',
    fields: [{ path, messages: [expect.stringMatching(message)] }],
  });

  test.each<[string, string, string, RegExp, ExtensionSite['answers'][string]]>([
    ['a manifest of 10 MB', manifestPath, 'url', /262,?144|256|larger/, (_, to) => to.end('x'.repeat(10_000_000))],
    ['a manifest that is not there', manifestPath, 'url', /answered 404/, (_, to) => to.writeHead(404).end()],
    ['an error', manifestPath, 'url', /answered 500/, (_, to) => to.writeHead(500).end('{}')],
    [
      'a redirect inwards',
      manifestPath,
      'url',
      /without a redirect; it answered 302/,
      (_, to) => to.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    ],
    ['what is not JSON', manifestPath, 'manifest', /must be JSON/, (_, to) => to.end('<html>')],
    [
      'bytes that are not UTF-8',
      manifestPath,
      'manifest',
      /must be JSON/,
      (_, to) => to.end(Buffer.from([0x22, 0xff, 0x22])),
    ],
    [
      'another charset',
      manifestPath,
      'manifest',
      /must be JSON/,
      (_, to) => to.writeHead(200, { 'content-type': 'application/json; charset=latin1' }).end('{}'),
    ],
    ['a connection that breaks', manifestPath, 'url', /closed the connection/, (request) => request.socket.destroy()],
    ['an asset of 3 MB', '/assets/reviews.js', 'url', /larger/, (_, to) => to.end('x'.repeat(3_000_000))],
    [
      'an asset that is elsewhere',
      '/assets/reviews.css',
      'url',
      /answered 301/,
      (_, to) => to.writeHead(301, { location: '/' }).end(),
    ],
    [
      'an asset with other bytes',
      '/assets/reviews.css',
      'manifest.integrity./assets/reviews.css',
      /^\/integrity\/~1assets~1reviews\.css is sha384-/,
      (_, to) => to.end('a{}'),
    ],
  ])('is refused: %s', async (_name, path, field, message, answer) => {
    expect(await at(path, answer)).toMatchObject(refused(field, message));
  });

  test('times out after ten seconds if it drips', async () => {
    const began = performance.now();
    const outcome = await at(manifestPath, (_request, response) => {
      const drip = setInterval(() => response.write(' '), 200);
      response.on('close', () => clearInterval(drip));
    });
    expect(outcome).toMatchObject(refused('url', /within \d+ ms/));
    expect(performance.now() - began).toBeGreaterThan(9_000);
  });

  test('is not called at a private address, however it is written', async () => {
    const { port, requests } = await serve((_request, response) => response.end('{}'));
    const urls = [
      `http://127.0.0.1:${port}`,
      `https://127.0.0.1:${port}`,
      `https://[::ffff:127.0.0.1]:${port}`,
      'https://10.0.0.1',
    ];
    for (const url of urls) expect([url, await register(url)]).toMatchObject([url, { fields: [{ path: 'url' }] }]);
    expect(requests).toEqual([]);
  });

  test.each(['reviews.example.com', 'ftp://example.com', 'https://a:b@example.com', 'https://example.com/?a=1', ''])(
    'is not at such an address: %s',
    async (url) => {
      expect(await register(url)).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ path: 'url' }] });
    },
  );

  test('gets each fault of its manifest, by JSON pointer', async () => {
    const site = await serveExtension(api);
    const { title: _title, ...faulty } = newManifest();
    site.answers[manifestPath] = (_request, response) =>
      response.end(
        JSON.stringify({ ...faulty, blocks: [{ ...faulty.blocks[1], id: 'size__guide', colour: 1 }], integrity: {} }),
      );
    const { fields = [] } = await register(site.url);
    expect(Object.fromEntries(fields.map(({ path, messages }) => [path, messages]))).toEqual({
      'manifest.title': ['/title is missing.'],
      'manifest.blocks.0.id': [expect.stringMatching(/^\/blocks\/0\/id must have the form of "size_guide"\.$/)],
      'manifest.blocks.0.colour': ['/blocks/0/colour has no member "colour"; remove it or correct its name.'],
    });
  });

  test('may not have duplicate keys, which JSON parsers read differently', async () => {
    const site = await serveExtension(api);
    const manifest = JSON.stringify({ ...newManifest(), integrity: {} });
    const twice = manifest.replace('"heading":{', '"heading":{"type":"text","label":"a"},"h\\u0065ading":{');
    site.answers[manifestPath] = (_request, response) => response.end(twice.replace('{', '{"title":"First",'));
    const { fields } = await register(site.url);
    expect(fields).toEqual([
      { path: 'manifest.title', messages: ['/title is there twice; remove one.'] },
      {
        path: 'manifest.blocks.0.settings.heading',
        messages: ['/blocks/0/settings/heading is there twice; remove one.'],
      },
    ]);
  });

  test('may define only its own elements', async () => {
    const site = await serveExtension(api);
    site.files['/assets/reviews.js'] = `customElements.define("shop-cart", class extends HTMLElement {})`;
    expect(await register(site.url)).toMatchObject(
      refused('manifest.assets.javascript', /^\/assets\/javascript defines the custom element shop-cart/),
    );
  });
});

describe('an extension', () => {
  const find = (id: string | undefined, tenant: string | null) =>
    api.graphql(
      'query ($id: ID!) { extension(id: $id) { version } extensions { edges { node { id } } } }',
      { id },
      { tenant },
    ) as Promise<{ data: { extension: object | null; extensions: { edges: { node: { id: string } }[] } } }>;

  test('is visible to others once it is published, and never if it is private', async () => {
    const site = await serveExtension(api);
    const { extension } = await register(site.url);
    const secret = await register((await serveExtension(api, { type: 'private' })).url);
    const seen = async (id: string | undefined) => {
      const { data } = await find(id, 'acme-outlet');
      return [data.extension !== null, data.extensions.edges.some(({ node }) => node.id === id)];
    };
    expect(await seen(extension?.id)).toEqual([false, false]);
    await run(api, 'publishExtension', { id: extension?.id });
    expect(await seen(extension?.id)).toEqual([true, true]);
    expect(await seen(secret.extension?.id)).toEqual([false, false]);
    const all = await api.graphql<{ allExtensions: { edges: { node: { id: string } }[] } }>(
      '{ allExtensions(filter: { type: PRIVATE }) { edges { node { id } } } }',
      {},
      { tenant: null, roles: ['operator'] },
    );
    expect(all.data.allExtensions.edges.map(({ node }) => node.id)).toContain(secret.extension?.id);
  });

  test('is rejected for a reason that its owner reads, and others never see it', async () => {
    const site = await serveExtension(api);
    const id = (await register(site.url)).extension?.id;
    const reason = 'It tracks visitors.';
    expect(await run(api, 'rejectExtension', { id, reason: ' ' })).toMatchObject({ fields: [{ path: 'reason' }] });
    // The operator acts from another tenant, which does not see the version.
    const operator = { tenant: 'acme-outlet', roles: ['operator'] };
    expect(await run(api, 'rejectExtension', { id, reason }, operator)).toMatchObject({
      extension: {
        status: 'REJECTED',
        reason,
        assets: [{ path: '/assets/reviews.css' }, { elements: ['acme-stars'] }],
      },
    });
    expect((await find(id, 'acme-shop')).data.extension).not.toBeNull();
    expect((await find(id, 'acme-outlet')).data.extension).toBeNull();
    for (const [field, input] of [
      ['publishExtension', { id }],
      ['withdrawExtension', { id }],
      ['installExtension', { extensionId: id }],
    ] as const)
      expect([field, await run(api, field, input)]).toMatchObject([field, { code: 'CONFLICT' }]);
    site.manifest = { ...site.manifest, version: '1.0.1' };
    const next = (await register(site.url)).extension?.id;
    await run(api, 'publishExtension', { id: next });
    expect(await run(api, 'rejectExtension', { id: next, reason })).toMatchObject({ code: 'CONFLICT' });
    const { data } = await api.graphql(
      'query ($id: ID!) { extensionReview(id: $id) { previous { version } } }',
      { id: next },
      { tenant: null, roles: ['operator'] },
    );
    expect(data).toEqual({ extensionReview: { previous: null } });
  });

  test('lists its versions as far as the caller sees them', async () => {
    const site = await serveExtension(api);
    const { extension: first } = await register(site.url);
    await run(api, 'publishExtension', { id: first?.id });
    site.manifest = { ...site.manifest, version: '1.1.0' };
    const { extension: second } = await register(site.url);
    const query = 'query ($id: ID!) { extension(id: $id) { versions { version assets { path } } } }';
    const versions = async (id: string | undefined, as: object) => {
      const { data } = await api.graphql<{ extension: { versions: { version: string; assets: object[] }[] } | null }>(
        query,
        { id },
        as,
      );
      return data.extension?.versions.map(({ version, assets }) => [version, assets.length]) ?? [];
    };
    const both = [
      ['1.1.0', 2],
      ['1.0.0', 2],
    ];
    expect(await versions(first?.id, {})).toEqual(both);
    expect(await versions(first?.id, { tenant: 'acme-outlet' })).toEqual([['1.0.0', 2]]);
    expect(await versions(second?.id, { tenant: 'acme-outlet' })).toEqual([]);
    expect(await versions(second?.id, { tenant: 'acme-outlet', roles: ['operator'] })).toEqual(both);
    expect(await versions(second?.id, { tenant: null, roles: ['operator'] })).toEqual(both);
  });

  test('is found by part of its title or name, in any case', async () => {
    const { manifest, url } = await serveExtension(api, { title: 'Size guide 100%' });
    await register(url);
    const names = async (search: string) => {
      const { data } = await api.graphql<{ extensions: { edges: { node: { name: string } }[] } }>(
        'query ($search: String) { extensions(filter: { search: $search }) { edges { node { name } } } }',
        { search },
      );
      return data.extensions.edges.map(({ node }) => node.name);
    };
    expect(await names('size GUIDE')).toEqual([manifest.name]);
    expect(await names(manifest.name.toUpperCase())).toContain(manifest.name);
    expect(await names('100_')).toEqual([]);
  });

  test('is withdrawn permanently, and with a reason is blocked immediately where it is installed', async () => {
    await run(api, 'registerTheme', { theme: 'acme/starter', version: '2.1.0', title: 'Starter' });
    await run(api, 'installTheme', { theme: 'acme/starter', version: '2.1.0' });
    const { extension } = await register((await serveExtension(api)).url);
    const id = extension?.id;
    expect(await run(api, 'withdrawExtension', { id })).toMatchObject({ code: 'CONFLICT' });
    await run(api, 'publishExtension', { id });
    const { installation } = await run(api, 'installExtension', { extensionId: id });
    const blocks = async () => {
      const { data } = await api.graphql<{ blocks: { totalCount: number } }>(
        '{ blocks(theme: "acme/starter") { totalCount } }',
      );
      return data.blocks.totalCount;
    };
    expect(await run(api, 'withdrawExtension', { id })).toMatchObject({
      extension: { status: 'WITHDRAWN', blocked: false },
    });
    expect(await blocks()).toBe(2);
    expect(await run(api, 'publishExtension', { id })).toMatchObject({ code: 'CONFLICT' });
    expect(await run(api, 'withdrawExtension', { id, block: true })).toMatchObject({ fields: [{ path: 'reason' }] });
    const reason = 'It tracks visitors.';
    expect(await run(api, 'withdrawExtension', { id, block: true, reason })).toMatchObject({
      extension: { blocked: true, reason },
    });
    expect(await blocks()).toBe(0);
    await run(api, 'disableInstallation', { id: installation?.id });
    expect(await run(api, 'enableInstallation', { id: installation?.id })).toMatchObject({
      code: 'CONFLICT',
      message: `The version was blocked: ${reason}`,
    });
  });
});
