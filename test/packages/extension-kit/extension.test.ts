import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createExtension, type Extension, type Manifest } from '@causeway/extension-kit';
import { html, raw } from '@causeway/extension-kit/html';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signMessage } from '#src/infra/signing/webhook-signatures.ts';
import { checkManifest } from '#src/themes/manifest/manifest.rules.ts';

const manifest = {
  kind: 'theme-extension',
  vendor: 'acme',
  name: 'reviews',
  version: '1.2.0-beta.1',
  title: 'Reviews',
  target: { theme: 'acme/starter', version: '^1.0.0' },
  blocks: [
    {
      id: 'stars',
      island: 'Stars',
      title: 'Stars',
      enabledOn: ['product'],
      settings: { heading: { type: 'text', label: 'Heading', default: 'Reviews' } },
      javascript: true,
    },
    { id: 'broken', island: 'Broken', title: 'Broken', enabledOn: ['page'] },
  ],
  assets: { stylesheet: '/assets/reviews.css', javascript: '/assets/reviews.mjs' },
} as const satisfies Manifest;

const css = '.acme-stars { color: var(--brand) }';
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Signed like the platform's requests: the path with its query takes the place of a body. */
function requestSignature(signedWith: string, path: string): Record<string, string> {
  const [id, timestamp] = ['r-1', String(Math.floor(Date.now() / 1_000))];
  const signature = signMessage({ id, timestamp, body: Buffer.from(path) }, [signedWith]);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

let root: string;
let extension: Extension;
let server: Server;
let origin: string;
const failures: unknown[] = [];
const islands = {
  Stars: ({ heading }: { heading: string }) => html`<h2>${heading}</h2>`,
  Broken: () => Promise.reject(new Error('no reviews')),
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'extension-kit-'));
  await mkdir(join(root, 'assets'));
  await writeFile(join(root, 'assets/reviews.css'), css);
  await writeFile(join(root, 'assets/reviews.mjs'), 'export {};\n');
  extension = await createExtension({ root, manifest, islands, secret, onError: (error) => failures.push(error) });
  server = createServer(extension.handle).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await rm(root, { recursive: true });
});

const island = (name: string, props?: string, signed = secret) => {
  const path = `/theme-extensions/islands/${name}${props === undefined ? '' : `?props=${encodeURIComponent(props)}`}`;
  return fetch(origin + path, { headers: requestSignature(signed, path) });
};

describe('an extension', () => {
  test('serves a manifest that can be registered, with the hashes of its assets', async () => {
    const response = await fetch(`${origin}/theme-extensions.json`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const served = (await response.json()) as { integrity: Record<string, string> };
    expect(checkManifest(served, { integrity: 'required' }).faults).toEqual([]);
    for (const [path, integrity] of Object.entries(served.integrity)) {
      const bytes = await (await fetch(origin + path)).bytes();
      expect(integrity).toBe(`sha384-${createHash('sha384').update(bytes).digest('base64')}`);
    }
    expect(Object.keys(served.integrity)).toEqual(['/assets/reviews.css', '/assets/reviews.mjs']);
  });

  test('serves its assets with their types, and no other file', async () => {
    const types = await Promise.all(
      ['/assets/reviews.css', '/assets/reviews.mjs'].map(async (path) => {
        const { headers } = await fetch(origin + path);
        return [headers.get('content-type'), headers.get('x-extension-version'), headers.get('x-content-type-options')];
      }),
    );
    expect(types).toEqual([
      ['text/css; charset=utf-8', '1.2.0-beta.1', 'nosniff'],
      ['text/javascript; charset=utf-8', '1.2.0-beta.1', 'nosniff'],
    ]);
    for (const path of [
      '/',
      '//',
      '/assets/other.css',
      '/assets/..%2fserver.ts',
      '/theme-extensions/islands/constructor',
    ]) {
      expect((await fetch(origin + path)).status, path).toBe(404);
    }
    expect((await fetch(`${origin}/theme-extensions.json`, { method: 'POST' })).status).toBe(405);
  });

  test('serves the hashed bytes, even if the file changes', async () => {
    await writeFile(join(root, 'assets/reviews.css'), 'changed');
    expect(await (await fetch(`${origin}/assets/reviews.css`)).text()).toBe(css);
  });

  test('renders islands from their props, escaped, with its version', async () => {
    const response = await island('Stars', '{"heading":"<b>\\"5\\" & more</b>"}');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('x-extension-version')).toBe('1.2.0-beta.1');
    expect(await response.text()).toBe('<h2>&lt;b&gt;&quot;5&quot; &amp; more&lt;/b&gt;</h2>');
  });

  test('answers 400 to props that are not an object, and 500 when an island throws', async () => {
    for (const props of ['[]', 'null', '{', '1']) expect((await island('Stars', props)).status, props).toBe(400);
    expect((await island('Broken')).status).toBe(500);
    expect(failures).toEqual([new Error('no reviews')]);
  });

  test('responds the same over fetch, and without a body to HEAD', async () => {
    const manifestOver = (method: string) =>
      extension.fetch(new Request(`${origin}/theme-extensions.json`, { method }));
    const [got, head] = await Promise.all([manifestOver('GET'), manifestOver('HEAD')]);
    expect(await got.json()).toMatchObject({ version: '1.2.0-beta.1', integrity: extension.integrity });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const over = await fetch(`${origin}/theme-extensions.json`, { method: 'HEAD' });
    expect([over.status, await over.text()]).toEqual([200, '']);
  });
});

describe('islands answer only the platform:', () => {
  const path = '/theme-extensions/islands/Stars?props=%7B%22heading%22%3A%22A%22%7D';
  const signed = requestSignature(secret, path);
  const ask = (headers: Record<string, string>, at = path) => fetch(origin + at, { headers });
  const old = String(Math.floor(Date.now() / 1_000) - 400);

  test.each([
    ['nothing is signed', {}, path],
    ['another secret', requestSignature('whsec_AAAA', path), path],
    ['another query', signed, path.replace('A%22', 'B%22')],
    ['an old time', { ...signed, 'webhook-timestamp': old }, path],
    ['another id', { ...signed, 'webhook-id': 'other' }, path],
  ])('%s', async (_what, headers, at) => {
    expect((await ask(headers, at)).status).toBe(401);
  });

  test('a request that is repeated within its time gets the same island', async () => {
    const [first, again] = [await ask(signed), await ask(signed)];
    expect([again.status, await again.text()]).toEqual([200, await first.text()]);
  });

  test('the platform itself, with any of several secrets', async () => {
    expect((await ask(signed)).status).toBe(200);
    const both = await createExtension({ root, manifest, islands, secret: ['whsec_AAAA', secret] });
    expect((await both.fetch(new Request(origin + path, { headers: signed }))).status).toBe(200);
  });

  test('nobody without a secret', async () => {
    for (const none of [undefined, '', []]) {
      const unset = await createExtension({ root, manifest, islands, secret: none });
      const response = await unset.fetch(new Request(origin + path, { headers: signed }));
      expect([response.status, await response.text()]).toEqual([401, expect.stringContaining('has no secret')]);
    }
  });
});

describe('an extension is not started', () => {
  test('without a file that its manifest names', async () => {
    const assets = { stylesheet: '/assets/none.css' };
    await expect(createExtension({ root, manifest: { ...manifest, assets }, islands, secret })).rejects.toThrow(
      /asset \/assets\/none\.css of the manifest is not in/,
    );
  });

  test('without a function for an island', async () => {
    const { Stars } = islands;
    const incomplete = { Stars } as unknown as typeof islands;
    await expect(createExtension({ root, manifest, islands: incomplete, secret })).rejects.toThrow('island Broken');
  });
});

test('a template escapes values, joins lists and leaves out absent values', () => {
  const items = ['a<b', 2].map((item) => html`<li title="${item}">${item}</li>`);
  const list = html`${items}${null}${undefined}${false}${raw('<hr>')}`;
  expect(String(list)).toBe('<li title="a&lt;b">a&lt;b</li><li title="2">2</li><hr>');
});

test('the kit works where its package is installed, with nothing but the webhook kit beside it', async () => {
  const packages = fileURLToPath(new URL('../../../packages/', import.meta.url));
  for (const kit of ['webhook-kit', 'extension-kit']) {
    const folder = join(root, 'node_modules/@causeway', kit);
    for (const shipped of ['package.json', 'src'])
      await cp(join(packages, kit, shipped), join(folder, shipped), { recursive: true });
  }
  const program = `import { createExtension } from '@causeway/extension-kit';
    import { html } from '@causeway/extension-kit/html';
    const extension = await createExtension({ root: '${root}', manifest: { version: '1', blocks: [] }, islands: {}, secret: [] });
    const answer = await extension.fetch(new Request('http://localhost/theme-extensions.json'));
    console.log(answer.status, String(html\`<p>\${'&'}</p>\`));`;
  await writeFile(join(root, 'use.mjs'), program);
  const { stdout } = await promisify(execFile)(process.execPath, ['use.mjs'], { cwd: root });
  expect(stdout).toBe('200 <p>&amp;</p>\n');
});
