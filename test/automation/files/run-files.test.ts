import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { openRunFiles } from '#src/automation/files/run-files.service.ts';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { sweepRetention } from '#src/automation/retention/retention-sweep.service.ts';
import { objectKey } from '#src/infra/storage/storage.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';
import { type FileServer, sending, startFileServer } from './file-servers.ts';

let api: TestApp;
let server: FileServer;
const picture = randomBytes(700_000);
const hostile = 'x'.repeat(300);

test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  server = await startFileServer({
    '/picture.png': sending(picture, { 'content-type': 'image/png' }),
    '/named': sending('a,b\n1,2\n', {
      'content-type': 'text/csv',
      'content-disposition': `attachment; filename="plain.csv"; filename*=UTF-8''k%C3%A4se.csv`,
    }),
    '/hostile': sending('x', {
      'content-type': 'text/html; <script>',
      'content-disposition': `attachment; filename*=utf-8''..%2F..%5C%0D%0A%E2%80%AE<img%20src=x>${hostile}.csv`,
    }),
    '/empty': sending('', { 'content-type': 'application/pdf' }),
    '/missing': (_request, response) => response.writeHead(404, { 'content-type': 'application/pdf' }).end('{"no":1}'),
    '/cut': (_request, response) => {
      response.writeHead(200, { 'content-length': '5000', 'content-type': 'image/png' }).write('half');
      setImmediate(() => response.destroy());
    },
    '/forever': (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      const more = (): boolean => response.write(Buffer.alloc(65_536));
      response.on('drain', more);
      while (more());
    },
  });
  await startEngine({ allow: server.host });
});
test.afterAll(() => server.close());

const get = (id: string, path: string, more: object = {}) =>
  node(id, 'http-request', { url: server.url + path, answer: 'file', ...more });
const put = (id: string, body: unknown, more: object = {}) =>
  node(id, 'http-request', { method: 'PUT', url: `${server.url}/in`, body, ...more });

async function run(blob: Parameters<typeof readyWorkflow>[1], payload: unknown = {}) {
  const workflow = await readyWorkflow(api, blob);
  const runId = await fireRun(api, workflow, payload);
  const ended = await untilRun(api, runId);
  const outputs = Object.fromEntries(
    ended.steps.map(({ path, outputs }) => [path, outputs as { body: FileReference }]),
  );
  return { ...ended, runId, outputs };
}

const fetched = async (path = '/picture.png') => {
  const ended = await run({ nodes: [get('get', path)] });
  expect(ended.error).toBeNull();
  return { reference: ended.outputs['get']?.body as FileReference, runId: ended.runId };
};

const rows = async (where: string, values: unknown[]) =>
  (await api.database.system.query(`SELECT * FROM run_files WHERE ${where}`, values)).rows;

describe('http-request', () => {
  test('puts an answer into a file and sends a file as it is', async () => {
    const ended = await run({
      nodes: [get('get', '/picture.png'), put('put', '{{ nodes.get.outputs.body }}')],
      edges: chain('get', 'put'),
    });
    expect(ended).toMatchObject({ status: 'succeeded' });
    expect(ended.outputs['get']?.body).toEqual({
      file: expect.stringMatching(/^file_[\w-]{22}$/),
      name: 'picture.png',
      type: 'image/png',
      size: picture.length,
      sha256: createHash('sha256').update(picture).digest('hex'),
    });
    const { headers, body } = server.got.at(-1) as (typeof server.got)[number];
    expect([headers['content-type'], headers['content-length']]).toEqual(['image/png', '700000']);
    expect(body.equals(picture)).toBe(true);
  });

  test('takes the stated content type before that of the file', async () => {
    const { reference } = await fetched('/named');
    await run(
      { nodes: [put('put', '{{ trigger.payload.file }}', { headers: { 'Content-Type': 'text/plain' } })] },
      { file: reference },
    );
    expect(server.got.at(-1)).toMatchObject({
      headers: { 'content-type': 'text/plain' },
      body: Buffer.from('a,b\n1,2\n'),
    });
  });

  test.each([
    ['/named', { name: 'käse.csv', type: 'text/csv', size: 8 }],
    ['/empty', { name: 'empty', type: 'application/pdf', size: 0 }],
    ['/hostile', { name: `<img src=x>${'x'.repeat(240)}.csv`, type: 'application/octet-stream', size: 1 }],
  ])('gives the file of %s a safe name', async (path, expected) => {
    expect((await fetched(path)).reference).toMatchObject(expected);
  });

  test('with "auto" makes a file only of an answer that is not text, and never of an error answer', async () => {
    const auto = { answer: 'auto' };
    const { outputs } = await run({
      nodes: [
        get('binary', '/picture.png', auto),
        get('csv', '/named', auto),
        get('refused', '/missing', { fail_on_status: false }),
      ],
    });
    expect([outputs['binary']?.body.size, outputs['csv']?.body, outputs['refused']?.body]).toEqual([
      picture.length,
      'a,b\n1,2\n',
      '{"no":1}',
    ]);
  });

  test('sends files as parts of a form, with their names and types unless others are stated', async () => {
    const { reference } = await fetched('/named');
    const image = (await fetched()).reference;
    const body = {
      kind: 'label',
      own: '{{ trigger.payload.csv }}',
      as: { filename: 'x.bin', content_type: 'a/b', content: '{{ trigger.payload.image }}' },
    };
    const ended = await run(
      { nodes: [put('put', body, { method: 'POST', body_type: 'multipart' })] },
      { csv: reference, image },
    );
    expect(ended.status).toBe('succeeded');
    const { headers, body: sent } = server.got.at(-1) as (typeof server.got)[number];
    expect(headers['content-length']).toBe(String(sent.length));
    const form = await new Response(new Uint8Array(sent), {
      headers: { 'content-type': String(headers['content-type']) },
    }).formData();
    const [own, as] = [form.get('own') as File, form.get('as') as File];
    expect([form.get('kind'), own.name, own.type, await own.text()]).toEqual([
      'label',
      'käse.csv',
      'text/csv',
      'a,b\n1,2\n',
    ]);
    expect([as.name, as.type, Buffer.from(await as.arrayBuffer()).equals(picture)]).toEqual(['x.bin', 'a/b', true]);
  });

  test.each([
    ['/cut', 'HTTP_DISCONNECTED'],
    ['/forever', 'FILE_TOO_LARGE'],
  ])('fails for a sender that ends like %s, and leaves no file', async (path, code) => {
    const ended = await run({ nodes: [get('get', path)] });
    expect(ended.steps.at(-1)?.error).toMatchObject({ code });
    expect(await rows('run_id = $1', [ended.runId])).toEqual([]);
  });
});

describe('a reference', () => {
  test.each([
    [
      'was made up',
      async () => ({ file: 'file_AAAAAAAAAAAAAAAAAAAAAA', name: 'a', type: 'text/csv', size: 1, sha256: 'b' }),
    ],
    [
      'is another tenant’s',
      async () => {
        const other = openRunFiles(api.deps, { tenantId: 'globex-shop', runId: 7 }, (name) => name);
        return other.create({ name: 'theirs', type: 'text/csv' }, Readable.from(['secret']));
      },
    ],
  ])('that %s finds nothing', async (_which, make) => {
    const ended = await run({ nodes: [put('put', '{{ trigger.payload.file }}')] }, { file: await make() });
    expect(ended.steps.at(-1)?.error).toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('counts by its id alone: a changed type or size is not believed', async () => {
    const { reference } = await fetched();
    await run(
      { nodes: [put('put', '{{ trigger.payload.file }}')] },
      { file: { ...reference, type: 'text/html', size: 3 } },
    );
    expect(server.got.at(-1)).toMatchObject({ headers: { 'content-type': 'image/png', 'content-length': '700000' } });
  });
});

describe('a file', () => {
  const files = (runId: number) => openRunFiles(api.deps, { tenantId: 'acme-shop', runId }, (name) => name);

  test('is refused beyond the limits of its run and its tenant', async () => {
    const small = () => Readable.from(['x']);
    for (let n = 0; n < 10; n += 1) await files(901).create({ name: 'n' }, small());
    await expect(files(901).create({ name: 'n' }, small())).rejects.toMatchObject({ code: 'FILES_LIMIT' });
    const narrow = { ...api.deps, fileLimits: { ...api.deps.fileLimits, tenantBytes: 1 } };
    const owner = { tenantId: 'acme-shop', runId: 902 };
    const full = openRunFiles(narrow, owner, (name) => name);
    await expect(full.create({}, small())).rejects.toMatchObject({ code: 'FILES_LIMIT' });
  });

  test('has a name from which secrets are removed', async () => {
    const port = openRunFiles(api.deps, { tenantId: 'acme-shop', runId: 903 }, (name) => name.replace('hush', '***'));
    await expect(port.create({ name: 'hush.txt' }, Readable.from(['x']))).resolves.toMatchObject({ name: '***.txt' });
  });

  test('is kept until the last run that made or read it is deleted, and its bytes until nothing refers to them', async () => {
    const { reference, runId } = await fetched();
    const reader = await run({ nodes: [put('put', '{{ trigger.payload.file }}')] }, { file: reference });
    const end = (id: number) => api.database.system.query('DELETE FROM runs WHERE id = $1', [id]);
    await end(runId);
    await sweepRetention(api.deps, { pauseMs: 0 });
    await expect(files(reader.runId).open(reference)).resolves.toMatchObject({ size: picture.length });
    // Other tests fetched the same bytes.
    await api.database.system.query('DELETE FROM run_files WHERE storage_key = $1 AND id <> $2', [
      objectKey(reference.sha256),
      reference.file,
    ]);
    await end(reader.runId);
    await sweepRetention(api.deps, { pauseMs: 0 });
    await expect(files(reader.runId).open(reference)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(await api.deps.storage.exists(objectKey(reference.sha256))).toBe(false);
  });
});

describe('a person', () => {
  const ask = `query ($file: String!) { runFile(file: $file) { name type size url } }`;

  test('who may read runs downloads a file, which no browser shows', async () => {
    const { reference } = await fetched('/hostile');
    const { data } = await api.graphql<{ runFile: { url: string; size: number } }>(ask, { file: reference.file });
    const { pathname, search } = new URL(data.runFile.url);
    const answer = await api.app.inject({ url: pathname + search });
    expect([answer.statusCode, answer.body, answer.headers]).toEqual([
      200,
      'x',
      expect.objectContaining({
        'content-type': 'application/octet-stream',
        'content-length': '1',
        'content-disposition': `attachment; filename*=UTF-8''%3Cimg%20src%3Dx%3E${'x'.repeat(240)}.csv`,
        'x-content-type-options': 'nosniff',
      }),
    ]);
    const forged = await api.app.inject({ url: pathname.replace('acme-shop', 'globex-shop') + search });
    expect(forged.statusCode).toBe(403);
  });

  test('of another tenant cannot find a file', async () => {
    const { reference } = await fetched();
    const { data } = await api.graphql<{ runFile: unknown }>(ask, { file: reference.file }, {
      tenant: 'globex-shop',
      org: 'globex',
    } as never);
    expect(data?.runFile ?? null).toBeNull();
  });
});

test('the bytes of a file come back as they were stored', async () => {
  const { reference, runId } = await fetched();
  const port = openRunFiles(api.deps, { tenantId: 'acme-shop', runId }, (name) => name);
  expect((await buffer(await (await port.open(reference)).stream())).equals(picture)).toBe(true);
});
