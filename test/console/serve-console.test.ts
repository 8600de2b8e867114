import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { expect } from 'vitest';
import { openConsole } from '#src/console/open-console.ts';
import { serveConsole } from '#src/console/serve-console.ts';
import { test as base } from '#test/setup/app-test.ts';

const log = { info: () => undefined, warn: () => undefined };
const site = await openConsole(log);
const build = site.build();
const test = base.extend('appOptions', { scope: 'file' }, { consoleSite: site });
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const assets = `/console/assets/${build.id}`;

/** The value of one directive of a Content-Security-Policy. */
const directive = (policy: unknown, name: string): string | undefined =>
  String(policy)
    .split('; ')
    .find((part) => part.startsWith(`${name} `))
    ?.slice(name.length + 1);

test('a browser that asks for / is sent to the console, and other clients get the links as before', async ({ api }) => {
  const page = await api.app.inject({ url: '/', headers: browser });
  expect([page.statusCode, page.headers.location]).toEqual([302, '/console/']);
  const data = await api.app.inject({ url: '/', headers: { accept: '*/*' } });
  expect(data.json()).toMatchObject({ name: 'Causeway' });
});

test('the page is returned for every path below /console/, and is never cached without asking', async ({ api }) => {
  for (const url of [
    '/console/',
    '/console/t/acme-shop/runs?status=FAILED',
    '/console/docs/triggers',
    '/console/x.js',
  ]) {
    const { statusCode, headers, payload } = await api.app.inject({ url, headers: browser });
    expect([url, statusCode, headers['content-type']]).toEqual([url, 200, 'text/html; charset=utf-8']);
    expect(headers['cache-control']).toBe('no-cache');
    expect(payload).toContain('<div id="root"></div>');
    expect(payload).toContain(`<meta name="causeway-build" content="${build.id}">`);
    expect(payload).toContain('<base href="/">');
    expect(payload).toMatch(/<meta name="description" content="[^"]+">/);
  }
  const bare = await api.app.inject({ url: '/console', headers: browser });
  expect([bare.statusCode, bare.headers.location]).toEqual([302, '/console/']);
});

test('each page has a nonce of its own, for styles and nothing else', async ({ api }) => {
  const nonces = new Set<string>();
  for (const _ of [1, 2, 3]) {
    const { headers, payload } = await api.app.inject({ url: '/console/' });
    const nonce = /<meta property="csp-nonce" nonce="([\w+/=]{24})">/.exec(payload)?.[1] ?? '';
    expect(nonce).not.toBe('');
    nonces.add(nonce);
    const policy = headers['content-security-policy'];
    expect(directive(policy, 'style-src')).toBe(`'self' 'nonce-${nonce}'`);
    expect(directive(policy, 'script-src')).toBe("'self'");
  }
  expect(nonces.size).toBe(3);
});

test('the policy of the page allows requests to the server and the issuer, and neither framing nor strings as code', async ({
  api,
}) => {
  const { headers } = await api.app.inject({ url: '/console/' });
  const policy = headers['content-security-policy'];
  expect(policy).not.toMatch(/unsafe|\*/);
  expect(directive(policy, 'default-src')).toBe("'none'");
  expect(directive(policy, 'connect-src')).toBe("'self' ws://localhost http://localhost");
  expect(directive(policy, 'frame-ancestors')).toBe("'none'");
  expect(directive(policy, 'require-trusted-types-for')).toBe("'script'");
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  });
});

test('every file that the page names is there, immutable and of the right type', async ({ api }) => {
  const { payload } = await api.app.inject({ url: '/console/' });
  const names = [...payload.matchAll(/(?:href|src)="(console\/assets\/[^"]+)"/g)].map(([, name]) => `/${name}`);
  expect(names.map((name) => name.replace(/-[A-Z0-9]{8}\./, '.'))).toEqual(
    expect.arrayContaining([`${assets}/main.js`, `${assets}/main.css`]),
  );
  expect(payload).toMatch(/<link rel="icon" href="data:image\/svg\+xml,%3Csvg[^"]+"/);
  const types: Record<string, string> = {
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
  };
  for (const url of names) {
    const { statusCode, headers } = await api.app.inject({ url });
    expect([url, statusCode]).toEqual([url, 200]);
    expect(headers['content-type']).toBe(types[url.split('.').at(-1) ?? '']);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('the page loads one script before it shows anything, and no other script brings its modules again', () => {
  expect(build.page.imports).toEqual([]);
  const scripts = [...build.assets].filter(([name]) => name.endsWith('.js'));
  const holdReact = scripts.filter(([, { content }]) => content.includes('react.transitional.element'));
  expect(holdReact.map(([name]) => name)).toEqual([build.page.entry]);
});

test('a file is sent in the encoding that the client accepts', async ({ api }) => {
  const url = `${assets}/${build.page.entry}`;
  const plain = build.assets.get(build.page.entry)?.content ?? Buffer.alloc(0);
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync, plain: (body: Buffer) => body };
  const rows: [accepted: string | undefined, expected: keyof typeof decoders][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['gzip, br;q=0', 'gzip'],
    ['*', 'br'],
    ['identity', 'plain'],
    ['br;q=nothing', 'plain'],
    [undefined, 'plain'],
  ];
  for (const [accepted, expected] of rows) {
    const { headers, rawPayload } = await api.app.inject({
      url,
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    });
    expect([accepted, headers['content-encoding'] ?? 'plain']).toEqual([accepted, expected]);
    expect(headers.vary).toBe('Origin, Accept-Encoding');
    expect(decoders[expected](rawPayload).equals(plain)).toBe(true);
    if (expected !== 'plain') expect(rawPayload.length).toBeLessThan(plain.length / 2);
  }
});

test('a file of another build is answered 404, and the answer names the build that is there', async ({ api }) => {
  const others = ['AAAAAAAA', build.page.entry, `AAAAAAAA/${build.page.entry}`];
  const urls = [`${assets}/main-AAAAAAAA.js`, `${assets}/..%2F..%2Fpackage.json`, `${assets}/`];
  for (const url of [...urls, ...others.map((path) => `/console/assets/${path}`)]) {
    const { statusCode, headers, payload } = await api.app.inject({ url });
    expect([url, statusCode]).toEqual([url, 404]);
    expect(headers['cache-control']).toBe('no-store');
    expect(JSON.parse(payload)).toMatchObject({ code: 'NOT_FOUND', build: build.id });
  }
});

test('the configuration of clients names the version and the build', async ({ api }) => {
  const { headers, payload } = await api.app.inject({ url: '/console/config.json' });
  expect(JSON.parse(payload)).toMatchObject({ client_id: 'causeway-console', build: build.id, version: '0.1.0' });
  expect(headers['cache-control']).toBe('no-cache');
});

test('under a public URL with a path, the page and the redirect begin with that path', async () => {
  const app = Fastify();
  serveConsole(app, {
    site,
    publicUrl: 'https://shop.example/hub/',
    issuer: 'https://id.example/realms/a',
  });
  const { headers, payload } = await app.inject({ url: '/console/t/acme/runs' });
  expect(payload).toContain('<base href="/hub/">');
  expect(payload).not.toMatch(/(?:src|href)="\/(?!hub\/")/);
  const policy = headers['content-security-policy'];
  expect(directive(policy, 'connect-src')).toBe("'self' wss://shop.example https://id.example");
  expect((await app.inject({ url: '/console' })).headers.location).toBe('/hub/console/');
  await app.close();
});
