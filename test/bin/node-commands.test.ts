import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { readPackageArchive } from '#src/automation/packages/archive/archive.ts';

const example = fileURLToPath(new URL('../../examples/erp-nodes', import.meta.url));

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'node-commands-'));
});
afterAll(() => rm(scratch, { recursive: true }));

interface Outcome {
  code: number;
  out: string;
  err: string;
}

async function causeway(argv: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const outcome = { code: 0, out: '', err: '' };
  outcome.code = await runCauseway(argv, {
    out: (text) => void (outcome.out += text),
    err: (text) => void (outcome.err += text),
    env,
    cwd: scratch,
  });
  return outcome;
}

describe('the commands', () => {
  test('of one noun are listed under it', async () => {
    const { code, out } = await causeway(['api-key', '--help']);
    expect([code, [...out.matchAll(/^ {2}(\S+ \S+) /gm)].map(([, name]) => name)]).toEqual([
      0,
      ['api-key create', 'api-key list', 'api-key rotate', 'api-key revoke'],
    ]);
  });

  test('are listed, and each has help and --json', async () => {
    const { code, out } = await causeway(['--help']);
    expect(code).toBe(0);
    const names = ['node init', 'node pack', 'node publish', 'node test'];
    for (const name of names) {
      expect(out).toContain(`  ${name} `);
      const help = await causeway([...name.split(' '), '--help']);
      expect(help).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`causeway ${name}[^]*--json`)) });
    }
  });

  test('exit with 2 and report the mistake when called wrongly', async () => {
    expect(await causeway(['nothing'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no command "nothing"'),
    });
    expect(await causeway(['constructor'])).toMatchObject({ code: 2 });
    expect(await causeway(['node', 'pack', '--wrong'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--wrong'),
    });
    const json = await causeway(['node', 'init', '--json']);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.out)).toEqual({ error: { message: expect.stringContaining('Name the folder') } });
  });
});

describe('a new package', () => {
  test('is scaffolded, passes its own test, packs, and is not overwritten', async () => {
    expect(await causeway(['node', 'init', 'acme-nodes'])).toMatchObject({ code: 0 });
    const tested = await causeway(['node', 'test', 'acme-nodes']);
    expect(tested).toMatchObject({ code: 0, out: expect.stringMatching(/acme:greet[^]*pass 1/) });
    const packed = await causeway(['node', 'pack', 'acme-nodes', '--json']);
    const { file, nodes } = JSON.parse(packed.out) as { file: string; nodes: string[] };
    expect(nodes).toEqual(['acme:greet']);
    expect([...(await readPackageArchive(await readFile(file))).keys()]).toContain('nodes/greet.ts');
    const again = await causeway(['node', 'init', 'acme-nodes']);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('not empty') });
  });

  test('shows the next command in the form in which it was called', async () => {
    const npm = { npm_lifecycle_event: 'causeway' };
    const { out } = await causeway(['node', 'init', 'called'], npm);
    expect(out).toContain('Now: npm run -s causeway -- node test called\n');
    expect((await causeway(['node', 'init'], npm)).err).toContain('npm run -s causeway -- node init my-nodes');
    expect((await causeway(['node', 'init', '--nope'])).err).toContain('See causeway node init --help.');
  });

  test('needs a namespace of its own', async () => {
    expect(await causeway(['node', 'init', 'core'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('neither core'),
    });
    for (const namespace of ['A_B', 'a'.repeat(64)])
      expect(await causeway(['node', 'init', 'x', '--namespace', namespace])).toMatchObject({ code: 2 });
    const derived = await causeway(['node', 'init', 'My_Nodes!', '--json']);
    expect(JSON.parse(derived.out)).toMatchObject({ namespace: 'my' });
  });

  test.each([
    [
      'exports a migrate that is no function',
      'export const migrate = {};',
      /greet\.ts: the export "migrate" must be a function/,
    ],
    ['does not load', 'throw new TypeError("No way.");', /greet\.ts: the module does not load: No way\./],
    ['loops while it loads', 'for (;;) {}', /greet\.ts: the module does not load: .*timed out/],
  ])('that %s is refused before it is published', async (name, code, message) => {
    const folder = name.replaceAll(' ', '-');
    await causeway(['node', 'init', folder, '--namespace', 'faulty']);
    const module = `export const execute = () => ({});\n${code}\n`;
    await writeFile(join(scratch, folder, 'nodes/greet.ts'), module);
    for (const command of ['test', 'pack', 'publish'])
      expect(
        await causeway(['node', command, folder, ...(command === 'publish' ? ['--org', 'acme'] : [])], {
          CAUSEWAY_TOKEN: 't',
        }),
      ).toMatchObject({
        code: 1,
        err: expect.stringMatching(message),
      });
  });

  test('that is broken names the file and the position, in text and in JSON', async () => {
    await causeway(['node', 'init', 'broken']);
    await writeFile(join(scratch, 'broken/nodes/greet.ts'), "import 'node:fs';\nexport const execute = () => ({});\n");
    const unbundled = await causeway(['node', 'test', 'broken']);
    expect(unbundled).toMatchObject({
      code: 1,
      err: expect.stringMatching(/broken:greet nodes\/greet\.ts:1 .*Node built-in/),
    });
    await writeFile(
      join(scratch, 'broken/causeway.json'),
      '{"namespace":"broken","label":1,"nodes":["nodes/greet.node.json"]}',
    );
    const { code, out } = await causeway(['node', 'pack', 'broken', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ error: { errors: { 'causeway.json#/label': ['must be a string.'] } } });
  });

  test('whose test fails makes the command fail', async () => {
    await causeway(['node', 'init', 'failing']);
    await writeFile(join(scratch, 'failing/test/greet.test.ts'), "throw new Error('it does not work');\n");
    const tested = await causeway(['node', 'test', 'failing', '--json']);
    expect(tested.code).toBe(1);
    expect(JSON.parse(tested.out)).toMatchObject({ ok: false, test_files: ['test/greet.test.ts'] });
    expect(await causeway(['node', 'test', 'failing', '--skip-tests'])).toMatchObject({ code: 0 });
  });
});

describe('publishing', () => {
  interface Upload {
    method: string | undefined;
    url: string | undefined;
    headers: IncomingHttpHeaders;
    body: Buffer;
  }
  const uploads: Upload[] = [];
  let answer = { status: 201, body: '{"name":"x"}', headers: {} };
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        uploads.push({
          method: request.method,
          url: request.url,
          headers: request.headers,
          body: Buffer.concat(chunks),
        });
        response.writeHead(answer.status, answer.headers).end(answer.body);
      });
    });
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(
    () =>
      new Promise((closed) => {
        server.close(closed);
      }),
  );

  test('posts the archive to the org with the bearer token', async () => {
    const env = { CAUSEWAY_URL: url, CAUSEWAY_TOKEN: 'a.b.c' };
    const { code, out } = await causeway(['node', 'publish', example, '--org', 'demo-org', '--json'], env);
    expect({ code, out: JSON.parse(out) as unknown }).toEqual({
      code: 0,
      out: { published: true, package: { name: 'x' } },
    });
    const [upload] = uploads;
    expect(upload).toMatchObject({
      method: 'POST',
      url: '/api/v1/admin/orgs/demo-org/node-packages',
      headers: { authorization: 'Bearer a.b.c', 'content-type': 'application/gzip' },
    });
    expect([...(await readPackageArchive(upload?.body ?? Buffer.alloc(0))).keys()]).toContain('causeway.json');
  });

  test('reports a refusal of the server, and follows no redirect', async () => {
    const argv = ['node', 'publish', example, '--org', 'demo-org', '--url', url, '--token', 'a.b.c'];
    answer = { status: 409, body: '{"message":"This version exists."}', headers: {} };
    expect(await causeway(argv)).toMatchObject({ code: 1, err: expect.stringContaining('409: This version exists.') });
    answer = { status: 404, body: '{"message":"Not found."}', headers: {} };
    expect(await causeway(argv)).toMatchObject({ err: expect.stringContaining('There is no org "demo-org"') });
    answer = { status: 403, body: '{"message":"This action is unauthorized."}', headers: {} };
    expect(await causeway(argv)).toMatchObject({ err: expect.stringContaining('needs the role operator') });
    answer = { status: 502, body: '<html>', headers: {} };
    expect(await causeway(argv)).toMatchObject({ code: 1, err: expect.stringContaining('502: <html>') });
    const before = uploads.length;
    answer = { status: 307, body: '', headers: { location: `${url}/elsewhere` } };
    expect(await causeway(argv)).toMatchObject({ code: 1, err: expect.stringContaining('307') });
    expect(uploads.length).toBe(before + 1);
  });

  test('requires an org, a token and an address, and says so before it packs', async () => {
    expect(await causeway(['node', 'publish', 'nowhere'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--org'),
    });
    expect(await causeway(['node', 'publish', 'nowhere', '--org', 'o'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('CAUSEWAY_TOKEN'),
    });
    const wrong = ['node', 'publish', example, '--org', 'o', '--token', 't', '--url', 'ftp://x'];
    expect(await causeway(wrong)).toMatchObject({ code: 2, err: expect.stringContaining('"ftp://x"') });
  });

  test('explains an outage without showing the token', async () => {
    const closed = createServer();
    await new Promise<void>((listening) => void closed.listen(0, '127.0.0.1', listening));
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => void closed.close(done));
    const argv = [
      'node',
      'publish',
      example,
      '--org',
      'o',
      '--token',
      'secret-token',
      '--url',
      `http://127.0.0.1:${port}`,
    ];
    const { code, err } = await causeway(argv);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('ECONNREFUSED') });
    expect(err).not.toContain('secret-token');
  });
});
