import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { openRunFiles } from '#src/automation/files/run-files.service.ts';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { type FileServer, sending, startFileServer } from '#test/automation/files/file-servers.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, untilRun } from '#test/setup/engine.ts';

let api: TestApp;
let server: FileServer;
const picture = randomBytes(1_500_001);
const lines = Array.from({ length: 50_000 }, (_, index) => `${index};Größe ${index}`);

/** Packages whose one node has this body of `execute(ctx)`. Its config is `file` and `url`. */
let made = 0;
async function registerNode(body: string): Promise<string> {
  made += 1;
  const config = [
    { key: 'file', type: 'expression' },
    { key: 'url', type: 'text' },
  ];
  const code = `export async function execute({ config, files, http, log }) { ${body} }`;
  const nodes = [{ name: 'run', version: '1.0.0', manifest: { config }, code }];
  const namespace = `files-${made}`;
  await registerNodePackage(api.deps, {
    orgId: 'acme',
    archive: packageArchive({ name: `${namespace}-nodes`, namespace, nodes }),
  });
  return `${namespace}:run`;
}

/** Runs a node after one that gets the file at a path. */
async function runAfter(path: string, code: string) {
  const slug = await registerNode(code);
  const get = node('get', 'http-request', { url: server.url + path, answer: 'file' });
  const run = {
    id: 'run',
    node: slug,
    version: '1.0.0',
    config: { file: '{{ nodes.get.outputs.body }}', url: `${server.url}/in` },
  };
  const blob = { version: 'v1', nodes: [get, run], edges: chain('get', 'run') };
  const { body } = await call(api, 'POST', '/workflows', { body: { name: slug, blob } });
  const workflow = { tenantId: 'acme-shop', workflowId: Number(body['id']) };
  await buildWorkflow(api.deps, workflow);
  const given = { body: { type: 'webhook', name: 'start' } };
  const trigger = await call(api, 'POST', `/workflows/${workflow.workflowId}/triggers`, given);
  const runId = await fireRun(api, { ...workflow, handle: String(trigger.body['handle']) }, {});
  const ended = await untilRun(api, runId);
  const step = ended.steps.find((one) => one.path === 'run');
  const read = async (reference: FileReference): Promise<Buffer> => {
    const files = openRunFiles(api.deps, { tenantId: 'acme-shop', runId }, (name) => name);
    return buffer(await (await files.open(reference)).stream());
  };
  return { ...ended, step, outputs: step?.outputs as Record<string, unknown>, read };
}

test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  server = await startFileServer({
    '/picture.png': sending(picture, { 'content-type': 'image/png' }),
    '/stock.csv': sending(lines.join('\n'), { 'content-type': 'text/csv' }),
    '/empty': sending('', { 'content-type': 'text/plain' }),
    '/error': (_request, response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('none'),
  });
  await startEngine({ allow: server.host });
});
test.afterAll(() => server.close());

describe("a package's node reads a file", () => {
  test('as text, with letters that cross the border of two parts', async () => {
    const { outputs } = await runAfter(
      '/stock.csv',
      `const text = await files.text(config.file);
       const lines = text.split('\\n');
       return { outputs: { count: lines.length, last: lines.at(-1) } };`,
    );
    expect(outputs).toEqual({ count: lines.length, last: lines.at(-1) });
  });

  test('in parts, from any offset, up to its end', async () => {
    const { outputs } = await runAfter(
      '/picture.png',
      `let size = 0, sum = 0;
       for await (const part of files.parts(config.file)) { size += part.length; for (const byte of part) sum += byte; }
       const ends = await Promise.all([files.read(config.file, { offset: 1500000, length: 9 }), files.read(config.file, { offset: 5, length: 3 })]);
       const beyond = await files.read(config.file, { offset: 99999999 });
       return { outputs: { size, sum, ends: ends.map((part) => [...part]), beyond: beyond.length } };`,
    );
    expect(outputs).toEqual({
      size: picture.length,
      sum: picture.reduce((sum, byte) => sum + byte, 0),
      ends: [[...picture.subarray(1_500_000)], [...picture.subarray(5, 8)]],
      beyond: 0,
    });
  });

  test('that is empty', async () => {
    const { outputs } = await runAfter('/empty', `return { outputs: { text: await files.text(config.file) } };`);
    expect(outputs).toEqual({ text: '' });
  });

  test.each([
    ['a made-up file', `files.text({ file: 'file_aaaaaaaaaaaaaaaaaaaaaa' })`, 'FILE_NOT_FOUND'],
    ['something else', `files.text({ file: '../../etc/passwd' })`, 'FILE_NOT_FOUND'],
    ['a negative offset', `files.read(config.file, { offset: -1 })`, 'INVALID_ARGUMENT'],
    ['a part that is too large', `files.read(config.file, { length: 9e9 })`, 'INVALID_ARGUMENT'],
  ])('but not %s', async (_what, call, code) => {
    const { outputs } = await runAfter(
      '/empty',
      `return { outputs: { code: await ${call}.then(() => 'read', (error) => error.code) } };`,
    );
    expect(outputs).toEqual({ code });
  });
});

describe("a package's node writes a file", () => {
  test('from pieces of text and bytes, in few calls, and its outputs hold the reference', async () => {
    const { outputs, read } = await runAfter(
      '/stock.csv',
      `async function* lines() {
         for (let row = 0; row < 50000; row += 1) yield row % 2 ? 'ä' + row + '\\n' : new TextEncoder().encode('b' + row + '\\n');
       }
       return { outputs: { file: await files.create({ name: '../out.csv', type: 'text/csv' }, lines()) } };`,
    );
    const expected = lines.map((_, row) => (row % 2 ? `ä${row}\n` : `b${row}\n`)).join('');
    const file = outputs['file'] as FileReference;
    expect(file).toMatchObject({ name: 'out.csv', type: 'text/csv', size: Buffer.byteLength(expected) });
    expect(String(await read(file))).toBe(expected);
  });

  test('which is refused above the limit of a file', async () => {
    const { outputs } = await runAfter(
      '/empty',
      `async function* forever() { for (;;) yield new Uint8Array(262144); }
       return { outputs: { code: await files.create({ name: 'big' }, forever()).catch((error) => error.code) } };`,
    );
    expect(outputs).toEqual({ code: 'FILE_TOO_LARGE' });
  });

  test('and a file whose content fails leaves room for others', async () => {
    const { outputs } = await runAfter(
      '/empty',
      `const failures = [];
       for (let at = 0; at < 10; at += 1) {
         const content = (function* () { yield 'begun'; throw new Error('Gone.'); })();
         await files.create({ name: 'broken' }, content).catch((error) => failures.push(error.message));
       }
       return { outputs: { failures, file: await files.create({ name: 'small' }, 'x') } };`,
    );
    expect(outputs['failures']).toEqual(Array.from({ length: 10 }, () => 'Gone.'));
    expect(outputs['file']).toMatchObject({ name: 'small', size: 1 });
  });

  test('and a file that it never ends is not kept', async () => {
    const { status, outputs } = await runAfter(
      '/empty',
      `async function* stuck() { yield 'begun'; await new Promise(() => undefined); }
       void files.create({ name: 'never' }, stuck());
       return { outputs: { ended: true } };`,
    );
    expect([status, outputs]).toEqual(['succeeded', { ended: true }]);
    const kept = await api.deps.database.tenantQuery<{ name: string }>('acme-shop', {
      text: `SELECT name FROM run_files WHERE name = 'never'`,
      values: [],
    });
    expect(kept).toEqual([]);
  });
});

describe("a package's node sends and saves files by HTTP", () => {
  test('without reading them itself', async () => {
    const { outputs, read } = await runAfter(
      '/picture.png',
      `const sent = await http.request({ method: 'PUT', url: config.url, file: config.file });
       const got = await http.request({ url: config.url.replace('/in', '/picture.png'), answer: 'file' });
       return { outputs: { status: sent.status, body: got.body, file: got.file } };`,
    );
    expect(outputs).toMatchObject({ status: 200, body: null, file: { name: 'picture.png', type: 'image/png' } });
    expect(server.got.at(-1)).toMatchObject({ headers: { 'content-type': 'image/png', 'content-length': '1500001' } });
    expect(server.got.at(-1)?.body.equals(picture)).toBe(true);
    expect((await read(outputs['file'] as FileReference)).equals(picture)).toBe(true);
  });

  test.each([
    [
      'an error as its content',
      `answer: 'file', url: config.url.replace('/in', '/error')`,
      { status: 404, body: 'none' },
    ],
    [
      'text as its content, if the answer may be either',
      `answer: 'auto', url: config.url.replace('/in', '/empty')`,
      { status: 200, body: '' },
    ],
  ])('and reads %s', async (_what, request, expected) => {
    const { outputs } = await runAfter(
      '/empty',
      `const { status, body, file } = await http.request({ ${request} }); return { outputs: { status, body, hasFile: file !== undefined } };`,
    );
    expect(outputs).toEqual({ ...expected, hasFile: false });
  });

  test('but not a body and a file at once', async () => {
    const { outputs } = await runAfter(
      '/empty',
      `return { outputs: { code: await http.request({ url: config.url, method: 'POST', body: 'x', file: config.file }).catch((error) => error.code) } };`,
    );
    expect(outputs).toEqual({ code: 'BAD_REQUEST' });
  });
});
