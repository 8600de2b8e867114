import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-node-from-'));
});
afterEach(() => rm(folder, { recursive: true }));

interface Outcome {
  code: number;
  out: string;
  err: string;
}

async function from(...argv: string[]): Promise<Outcome> {
  const outcome = { code: 0, out: '', err: '' };
  outcome.code = await runCauseway(['node', ...argv], {
    out: (text) => void (outcome.out += text),
    err: (text) => void (outcome.err += text),
    cwd: folder,
    env: {},
  });
  return outcome;
}

const order = {
  type: 'object',
  required: ['number'],
  properties: { number: { type: 'string' }, note: { type: 'string' }, id: { type: 'string', readOnly: true } },
};
const ok = { 200: { description: 'Done', content: { 'application/json': { schema: order } } } };
const json = { content: { 'application/json': { schema: order } } };

const erp = (paths: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'ERP API', version: '7' },
  servers: [{ url: 'https://erp.example/v1' }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  security: [{ key: [] }],
  paths: {
    '/orders': { post: { tags: ['Orders'], summary: 'Create an order', requestBody: json, responses: ok } },
    '/orders/{id}': {
      get: {
        tags: ['Orders'],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { ...ok, 404: { description: 'None' } },
      },
    },
    '/stock': { get: { tags: ['Stock'], responses: ok } },
    ...paths,
  },
});

const write = (description: unknown) => writeFile(join(folder, 'erp.json'), JSON.stringify(description));

async function read(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, path), 'utf8')) as Record<string, unknown>;
}

/** The contents of all files of a package, by path. */
async function readAll(name: string): Promise<Record<string, string>> {
  const paths = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
  const files = paths.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(
      files.map(async (path) => [path.slice(join(folder, name).length), await readFile(path, 'utf8')] as const),
    ),
  );
}

test('without a choice, the operations are listed', async () => {
  await write(erp());
  const { code, out } = await from('from', 'erp.json');
  expect(code).toBe(0);
  expect(out).toMatch(/^POST {3}\/orders {2}post-orders {2}\[Orders\]$/m);
  expect(out).toMatch(/3 operations/);
});

test.each([
  ['a tag', ['--tag', 'stock'], ['get-stock']],
  ['a path', ['--path', '/orders'], ['post-orders', 'get-orders-by-id']],
  ['words of two searches', ['--search', 'orders', '--search', 'create'], ['post-orders']],
])('with %s and without a folder, the chosen operations are listed', async (_what, choice, names) => {
  await write(erp());
  const { code, out } = await from('from', 'erp.json', ...choice, '--json');
  expect(code).toBe(0);
  expect((JSON.parse(out) as { operations: { name: string }[] }).operations.map(({ name }) => name)).toEqual(names);
});

test('a description without a title is listed by its file', async () => {
  await writeFile(join(folder, 'shop.graphql'), 'type Query { order(id: ID!): String }');
  expect((await from('from', 'shop.graphql')).out).toContain('shop.graphql: 1 operation. Choose');
});

test('a package of the chosen operations passes every check of an upload', async () => {
  await write(erp());
  const made = await from('from', 'erp.json', '--out', 'nodes', '--tag', 'orders', '--json');
  expect(JSON.parse(made.out)).toEqual({ operations: 3, nodes: 2, messages: 0, skipped: [], kept: [], changes: [] });
  expect(await read('nodes/causeway.json')).toMatchObject({
    namespace: 'erp',
    label: 'ERP API',
    nodes: ['nodes/post-orders.node.json', 'nodes/get-orders-by-id.node.json'],
    credential_types: ['credentials/key.credential.json'],
  });
  expect(await read('nodes/nodes/get-orders-by-id.node.json')).toMatchObject({
    slug: 'erp:get-orders-by-id',
    branches: ['success', 'status-404', 'other'],
    call: { method: 'GET', path: '/orders/{id}', base_url: 'https://erp.example/v1' },
  });
  const body = (await read('nodes/nodes/post-orders.node.json'))['config'] as { key: string; fields?: object[] }[];
  expect(body.find(({ key }) => key === 'body')?.fields).toEqual([
    { key: 'number', type: 'string', required: true },
    { key: 'note', type: 'string' },
  ]);
  expect(await from('test', 'nodes', '--skip-tests')).toMatchObject({ code: 0, err: '' });
});

test('an API without a login makes a package without credential types', async () => {
  await write({ ...erp(), security: [] });
  await from('from', 'erp.json', '--out', 'open', '--all');
  expect(await read('open/causeway.json')).toMatchObject({ credential_types: [] });
  expect(await from('test', 'open', '--skip-tests')).toMatchObject({ code: 0, err: '' });
});

test('a description of webhooks alone makes a package of messages', async () => {
  const webhooks = { 'order.created': { post: { summary: 'Order created', requestBody: json } } };
  await write({ openapi: '3.1.0', info: { title: 'Shop' }, webhooks });
  expect((await from('from', 'erp.json')).out).toContain('RECEIVE Order created  order-created');
  const made = await from('from', 'erp.json', '--out', 'nodes', '--all', '--json');
  expect(JSON.parse(made.out)).toMatchObject({ operations: 0, nodes: 0, messages: 1 });
  expect((await from('from', 'erp.json', '--out', 'nodes')).out).toMatch(/^1 message can be chosen/);
  expect(await read('nodes/causeway.json')).toMatchObject({
    nodes: [],
    messages: ['messages/order-created.message.json'],
  });
  expect(await from('test', 'nodes', '--skip-tests')).toMatchObject({ code: 0, err: '' });
});

test('the same description gives the same bytes, and a changed one gives new versions of the documents that differ', async () => {
  await write(erp());
  await from('from', 'erp.json', '--out', 'one', '--all');
  await from('from', 'erp.json', '--out', 'two', '--all');
  const first = await readAll('one');
  expect(await readAll('two')).toEqual(first);
  await from('from', 'erp.json', '--out', 'one');
  expect(await readAll('one')).toEqual(first);
  const more = { ...order, properties: { ...order.properties, channel: { type: 'string' } } };
  await write(
    erp({
      '/orders': {
        post: {
          tags: ['Orders'],
          summary: 'Create an order',
          requestBody: { content: { 'application/json': { schema: more } } },
          responses: ok,
        },
      },
    }),
  );
  const again = await from('from', 'erp.json', '--out', 'one');
  expect(again.out).toMatch(/^erp:post-orders config\.body\.channel: field added$/m);
  expect(again.out).not.toMatch(/Breaking/);
  const second = await readAll('one');
  const changed = Object.keys(second).filter((path) => second[path] !== first[path]);
  expect(changed.toSorted()).toEqual(['/connector.json', '/nodes/post-orders.node.json', '/package.json']);
  expect(await read('one/package.json')).toMatchObject({ version: '1.1.0' });
  expect(await read('one/nodes/post-orders.node.json')).toMatchObject({ version: '1.1.0' });
});

test('an edited file is kept until --overwrite, and a node whose operation is gone is deleted', async () => {
  await write(erp());
  await from('from', 'erp.json', '--out', 'nodes', '--all');
  const path = join(folder, 'nodes/nodes/get-stock.node.json');
  await writeFile(
    path,
    (await readFile(path, 'utf8'))

      .replace('"icon"', '"description": "Mine.", "icon"'),
  );
  const { paths, ...rest } = erp();
  await write({ ...rest, paths: { '/stock': paths['/stock'] } });
  const kept = await from('from', 'erp.json', '--out', 'nodes');
  expect(kept.err).toContain('Kept nodes/get-stock.node.json, which was edited');
  expect(await read('nodes/nodes/get-stock.node.json')).toMatchObject({ description: 'Mine.' });
  expect(await readdir(join(folder, 'nodes/nodes'))).toEqual(['get-stock.node.json']);
  await from('from', 'erp.json', '--out', 'nodes', '--overwrite');
  expect(await read('nodes/nodes/get-stock.node.json')).not.toHaveProperty('description');
});

test('a description is read from a URL, to which its servers are relative', async () => {
  const server = createServer((_request, response) =>
    response.end(JSON.stringify({ ...erp(), servers: [{ url: '/v2' }] })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made = await from('from', `${base}/openapi.json?key=s3cr3t#top`, '--out', 'nodes', '--search', 'stock');
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(await read('nodes/nodes/get-stock.node.json')).toMatchObject({ call: { base_url: `${base}/v2` } });
  expect(await read('nodes/connector.json')).toMatchObject({ description: { source: `${base}/openapi.json` } });
  expect(JSON.stringify(await readAll('nodes'))).not.toContain('s3cr3t');
  server.close();
});

test.each([
  ['no description', ['from'], /node from openapi.json/],
  ['a file that is not there', ['from', 'none.json', '--all', '--out', 'nodes'], /ENOENT/],
  [
    'a reserved namespace',
    ['from', 'erp.json', '--all', '--out', 'nodes', '--namespace', 'core'],
    /neither core nor commerce/,
  ],
  ['a choice that nothing fits', ['from', 'erp.json', '--tag', 'none', '--out', 'nodes'], /No operation fits/],
  ['a folder with other contents', ['from', 'erp.json', '--all', '--out', '.'], /not empty and has no connector.json/],
])('%s is refused with what to do', async (_what, argv, message) => {
  await write(erp());
  const { code, err } = await from(...argv);
  expect(code).toBeGreaterThan(0);
  expect(err).toMatch(message);
});

test('an operation that cannot become a node is skipped with a reason', async () => {
  await write(
    erp({
      '/other': {
        get: {
          responses: { 200: { $ref: 'http://10.0.0.1/answer.json' } },
          requestBody: { $ref: 'file:///etc/passwd' },
        },
      },
    }),
  );
  const made = await from('from', 'erp.json', '--out', 'nodes', '--all');
  expect(made.out).toMatch(/^3 of 4 operations are nodes/);
  expect(made.err).toMatch(/^Skipped GET \/other: .+/);
});

/** A package that somebody else made, with their own connector.json. */
async function plant(connector: object, contents: object = {}): Promise<void> {
  await write(erp());
  await from('from', 'erp.json', '--out', 'nodes', '--all');
  await writeFile(join(folder, 'mine.txt'), 'mine');
  const own = await read('nodes/connector.json');
  await writeFile(join(folder, 'nodes/connector.json'), JSON.stringify({ ...own, ...connector }));
  const causeway = await read('nodes/causeway.json');
  await writeFile(join(folder, 'nodes/causeway.json'), JSON.stringify({ ...causeway, ...contents }));
}

test.each(['../mine.txt', 'nodes/../../mine.txt', '/etc/hostname'])(
  'a package that lists %s as its file is refused, and nothing is deleted',
  async (path) => {
    await plant({ files: { [path]: 'x' } });
    const made = await from('from', 'erp.json', '--out', 'nodes', '--overwrite');
    expect(made).toMatchObject({ code: 1, err: expect.stringContaining('is damaged') });
    expect(await readFile(join(folder, 'mine.txt'), 'utf8')).toBe('mine');
  },
);

test.each([{ tags: 'orders' }, { paths: [1] }, { search: {} }, { all: 'yes' }])(
  'a package whose choice is %j is refused',
  async (choice) => {
    await plant({ choice });
    const made = await from('from', 'erp.json', '--out', 'nodes');
    expect(made).toMatchObject({ code: 1, err: expect.stringContaining('is damaged') });
  },
);

test('a namespace in a package cannot lead out of its folder', async () => {
  await plant({}, { namespace: 'erp:../../stolen' });
  expect(await from('from', 'erp.json', '--out', 'nodes', '--overwrite')).toMatchObject({ code: 0 });
  expect(await read('nodes/causeway.json')).toMatchObject({ namespace: 'erp' });
  expect((await readdir(folder)).toSorted()).toEqual(['erp.json', 'mine.txt', 'nodes']);
});

test('nothing is written or deleted through a symbolic link', async () => {
  await plant({});
  await rm(join(folder, 'nodes/README.md'));
  await symlink(join(folder, 'mine.txt'), join(folder, 'nodes/README.md'));
  const file = await from('from', 'erp.json', '--out', 'nodes', '--overwrite');
  expect(file).toMatchObject({ code: 1, err: expect.stringMatching(/README\.md is a symbolic link/) });
  await rm(join(folder, 'nodes/README.md'));
  await mkdir(join(folder, 'elsewhere'));
  await rm(join(folder, 'nodes/images'), { recursive: true });
  await symlink(join(folder, 'elsewhere'), join(folder, 'nodes/images'));
  const images = await from('from', 'erp.json', '--out', 'nodes', '--overwrite');
  expect(images).toMatchObject({ code: 1, err: expect.stringMatching(/images is a symbolic link/) });
  expect(await readFile(join(folder, 'mine.txt'), 'utf8')).toBe('mine');
  expect(await readdir(join(folder, 'elsewhere'))).toEqual([]);
});

test('a file that somebody added is kept, even if an operation of the same name appears', async () => {
  await write(erp());
  await from('from', 'erp.json', '--out', 'nodes', '--all');
  await writeFile(join(folder, 'nodes/nodes/get-prices.node.json'), '{"mine": true}');
  await write(erp({ '/prices': { get: { responses: ok } } }));
  const made = await from('from', 'erp.json', '--out', 'nodes');
  expect(made.err).toContain('Kept nodes/get-prices.node.json');
  expect(await read('nodes/nodes/get-prices.node.json')).toEqual({ mine: true });
});

test('no text of a description can control the terminal', async () => {
  const steer = '\u001b]0;title\u0007\u009b2J\u202e';
  await write({
    ...erp({ [`/a${steer}`]: { get: { tags: [steer], responses: ok } }, [`/b${steer}`]: { [`x${steer}`]: {} } }),
    info: { title: `ERP ${steer}`, version: steer },
  });
  const listed = await from('from', 'erp.json');
  expect(listed.out).toContain('/a\ufffd]0;title');
  const made = await from('from', 'erp.json', '--out', 'nodes', '--path', `/a${steer}`);
  const none = await from('from', 'erp.json', '--out', 'nodes', '--tag', steer);
  for (const text of [listed, made, none].flatMap(({ out, err }) => [out, err]))
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
