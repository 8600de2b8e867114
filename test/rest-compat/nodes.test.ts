import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { packNodePackage } from '@causeway/node-kit/pack';
import { describe, expect } from 'vitest';
import { versionOrder } from '#src/automation/node-api/version-order.rules.ts';
import { packageFiles, paxRecord, rawTar } from '#test/automation/packages/archive/raw-tar.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { call } from './rest.ts';

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const operator = { roles: ['operator'], tenant: null };
const user = { roles: ['user'] };
const upload = '/v1/admin/orgs/acme/node-packages';
const gzip = { 'content-type': 'application/gzip' };

const throwing = `export const execute = (ctx) => {
  ctx.log.warn('about to fail');
  throw Object.assign(new Error('No such order.'), { code: 'NO_ORDER' });
};`;
const archive = (version: string, label = 'rest') =>
  packageArchive({
    name: 'rest-nodes',
    version,
    namespace: 'rest',
    nodes: [
      { name: 'echo', version, code: 'export const execute = ({ config }) => ({ outputs: config, branch: "seen" });' },
      ...(version === '1.0.0' ? [{ name: 'throws', version, code: throwing }] : []),
      ...(version === '1.0.0' ? [{ name: 'broken', version, code: 'export const execute = ;' }] : []),
    ],
    more: { 'README.md': label },
  });

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const form = (name: string, bytes: Buffer) => {
  const head = `--b\r\ncontent-disposition: form-data; name="${name}"; filename="p.tgz"\r\ncontent-type: application/gzip\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')]);
};
const multipart = { 'content-type': 'multipart/form-data; boundary=b' };

describe('the upload of a node package', () => {
  test('registers a raw archive once, and answers 200 to the same bytes and 409 to others', async () => {
    const first = await call(api, 'POST', upload, { as: operator, body: archive('1.0.0'), headers: gzip });
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      name: 'rest-nodes',
      version: '1.0.0',
      label: 'rest-nodes',
      nodes: ['echo', 'throws', 'broken'].map((name) => ({ slug: `rest:${name}`, version: '1.0.0', name })),
      credential_types: [],
      templates: [],
      images: [],
      build: {
        status: 'failed',
        errors: [expect.objectContaining({ slug: 'rest:broken', message: expect.any(String) })],
      },
    });
    const again = await call(api, 'POST', upload, { as: operator, body: archive('1.0.0'), headers: gzip });
    expect(again).toMatchObject({ status: 200, body: first.body });
    const other = await call(api, 'POST', upload, { as: operator, body: archive('1.0.0', 'other'), headers: gzip });
    expect(other).toMatchObject({ status: 409, body: { message: expect.any(String) } });
  });

  test('accepts the form field `package`, and names it if it is missing', async () => {
    const body = form('package', archive('1.10.0'));
    const made = await call(api, 'POST', upload, { as: operator, body, headers: multipart });
    expect(made).toMatchObject({ status: 201, body: { version: '1.10.0', build: { status: 'ready', errors: [] } } });
    const unnamed = await call(api, 'POST', upload, {
      as: operator,
      body: form('file', archive('1.2.0')),
      headers: multipart,
    });
    expect(unnamed).toMatchObject({ status: 422, body: { errors: { package: [expect.stringContaining('package')] } } });
  });

  test.each([
    ['no archive', Buffer.from('not an archive'), gzip, 422],
    ['nothing at all', Buffer.alloc(0), gzip, 422],
    ['a form without an end', form('package', archive('1.3.0')).subarray(0, 200), multipart, 400],
    ['a form without a boundary', form('package', archive('1.3.0')), { 'content-type': 'multipart/form-data' }, 400],
    ['a file over the limit', form('package', Buffer.alloc(33 * 1024 * 1024)), multipart, 413],
  ])('refuses %s', async (_name, body, headers, status) => {
    const answer = await call(api, 'POST', upload, { as: operator, body, headers });
    expect(answer).toMatchObject({ status, body: { message: expect.any(String) } });
  });

  test.each([
    ['a raw body', gzip, ''],
    ['a form', multipart, '--b\r\ncontent-disposition: form-data; name="package"; filename="p.tgz"\r\n\r\n'],
  ])('answers 413 over a socket to %s that goes on and on, while it still arrives', async (_name, type, head) => {
    if (!api.app.server.listening) await api.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.app.server.address() as AddressInfo;
    const zeros = Buffer.alloc(1024 * 1024);
    const endless = Readable.from(
      (function* chunks() {
        yield Buffer.from(head);
        for (;;) yield zeros;
      })(),
    );
    const request = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: upload,
      headers: { ...type, authorization: `Bearer ${await api.token(operator)}` },
    });
    endless.pipe(request);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    // The rest is read only for a moment: a client that does not stop is cut off.
    response.resume();
    request.on('error', () => undefined);
    await once(request.socket as Socket, 'close');
    endless.destroy();
  });

  test('answers 422 to an archive with data after its end, and names all faulty files together', async () => {
    const global = { path: 'g', type: 'g', body: paxRecord('path', 'package/other') };
    const files = packageFiles({ 'package.json': '{}' });
    const plain = rawTar(...files);
    for (const [body, message] of [
      [Buffer.concat([plain, plain]), 'The package archive holds data after its end.'],
      [rawTar(global, ...files), 'The package archive sets a path for all files in a global header.'],
    ] as const) {
      const answer = await call(api, 'POST', upload, { as: operator, body: gzipSync(body), headers: gzip });
      expect([answer.status, answer.body]).toEqual([422, { message }]);
    }
  });

  test('answers 409 to another organisation in a namespace, even after all nodes there are deleted', async () => {
    const publish = (org: string, name: string, node: string) => {
      const body = packageArchive({ name, namespace: 'kept', nodes: [{ name: node, version: '1.0.0' }] });
      return call(api, 'POST', upload.replace('acme', org), { as: operator, body, headers: gzip });
    };
    expect((await publish('acme', 'first', 'a')).status).toBe(201);
    expect((await call(api, 'DELETE', '/nodes/kept:a/1.0.0', { as: operator })).status).toBe(204);
    expect(await publish('other', 'second', 'b')).toMatchObject({
      status: 409,
      body: { message: 'The namespace kept belongs to another organisation. Choose another one.' },
    });
    expect((await publish('acme', 'third', 'b')).status).toBe(201);
  });

  test('answers 404 for an unknown organisation', async () => {
    const path = '/admin/orgs/nowhere/node-packages';
    const answer = await call(api, 'POST', path, { as: operator, body: archive('1.0.0'), headers: gzip });
    expect(answer).toMatchObject({ status: 404, body: { message: 'Not found.' } });
  });
});

describe('the node catalogue over REST', () => {
  test('lists nodes with exactly the fields of the contract, by slug, newest version first', async () => {
    const { status, body } = await call(api, 'GET', '/nodes?namespace=rest', { as: user });
    expect(status).toBe(200);
    const nodes = body['data'] as unknown as { slug: string; version: string }[];
    expect(nodes.map(({ slug, version }) => `${slug} ${version}`)).toEqual([
      'rest:broken 1.0.0',
      'rest:echo 1.10.0',
      'rest:echo 1.0.0',
      'rest:throws 1.0.0',
    ]);
    expect(nodes[1]).toEqual({
      name: 'echo',
      namespace: 'rest',
      slug: 'rest:echo',
      version: '1.10.0',
      package: { name: 'rest-nodes', version: '1.10.0', label: 'rest-nodes' },
      manifest_version: 'v0-draft',
      manifest: expect.objectContaining({ slug: 'rest:echo' }),
      created_at: iso,
      updated_at: iso,
    });
  });

  test('lists all nodes, however many', async () => {
    const number = 1_050;
    await api.database.global.$executeRaw`
      WITH p AS (INSERT INTO node_packages (org_id, name, version, label, digest, build)
        VALUES ('acme', 'bulk', '1.0.0', 'Bulk', 'none', '{"status":"ready","errors":[]}') RETURNING id),
      named AS (SELECT p.id AS package_id, to_char(n, 'FM0000') AS n FROM p, generate_series(1, ${number}) AS n),
      nodes AS (INSERT INTO nodes (package_id, namespace, slug, version, version_order, name, manifest_version, manifest, updated_at)
        SELECT package_id, 'bulk', 'bulk:n' || n, '1.0.0', '1', n, 'v0-draft', '{}', now() FROM named),
      types AS (INSERT INTO credential_types (package_id, slug, version, version_order, name, description, auth_kind, manifest)
        SELECT package_id, 'bulk:t' || n, '1.0.0', '1', n, '', 'secret', '{"fields":[]}' FROM named)
      INSERT INTO workflow_templates (package_id, slug, version, version_order, name, description, manifest)
        SELECT package_id, 'bulk:w' || n, '1.0.0', '1', n, '', '{"blob":{}}' FROM named`;
    const versions = Array.from({ length: number }, (_, index) => `1.${number - index}.0`);
    await api.database.global.$executeRaw`
      INSERT INTO nodes (package_id, namespace, slug, version, version_order, name, manifest_version, manifest, updated_at)
      SELECT p.id, 'bulk-many', 'bulk-many:one', v.version, v.version_order, 'One', 'v0-draft', '{}', now()
      FROM node_packages p, unnest(${versions}::text[], ${versions.map(versionOrder)}::text[]) AS v(version, version_order)
      WHERE p.name = 'bulk'`;
    const listed = async (path: string) => {
      const { status, body } = await call(api, 'GET', path);
      expect(status).toBe(200);
      return body['data'] as unknown as { slug: string }[];
    };
    const slugs = (letter: string) =>
      Array.from({ length: number }, (_, index) => `bulk:${letter}${String(index + 1).padStart(4, '0')}`);
    expect((await listed('/nodes?namespace=bulk')).map(({ slug }) => slug)).toEqual(slugs('n'));
    for (const [path, letter] of [
      ['/credential-types', 't'],
      ['/templates', 'w'],
    ] as const) {
      const found = (await listed(path)).map(({ slug }) => slug);
      expect(found.filter((slug) => slug.startsWith(`bulk:${letter}`))).toEqual(slugs(letter));
    }
    expect(await listed('/nodes/bulk-many:one/versions')).toEqual(versions);
    await api.database.global.nodePackage.deleteMany({ where: { name: 'bulk' } });
  });

  test('shows all versions or one of them, with `latest` as the highest', async () => {
    const as = { roles: [], tenant: null };
    expect((await call(api, 'GET', '/nodes/rest:echo/versions', { as })).body).toEqual({ data: ['1.10.0', '1.0.0'] });
    expect(await call(api, 'GET', '/nodes/rest:echo/latest', { as })).toMatchObject({ body: { version: '1.10.0' } });
    expect(await call(api, 'GET', '/nodes/rest%3Aecho/1.0.0', { as })).toMatchObject({ body: { version: '1.0.0' } });
    for (const path of ['/nodes/rest:none/versions', '/nodes/rest:none/latest', '/nodes/rest:echo/9.9.9']) {
      expect(await call(api, 'GET', path, { as })).toMatchObject({ status: 404, body: { message: 'Not found.' } });
    }
  });

  test('deletes an exact version only', async () => {
    await call(api, 'POST', upload, { as: operator, body: archive('3.0.0'), headers: gzip });
    const latest = await call(api, 'DELETE', '/nodes/rest:echo/latest', { as: operator });
    expect(latest).toMatchObject({
      status: 400,
      body: { message: 'The `latest` alias is not allowed for mutating requests.' },
    });
    expect(await call(api, 'DELETE', '/nodes/rest:echo/3.0.0', { as: operator })).toMatchObject({
      status: 204,
      text: '',
    });
    expect(await call(api, 'DELETE', '/nodes/rest:echo/3.0.0', { as: operator })).toMatchObject({ status: 404 });
  });

  test('does not delete built-in nodes', async () => {
    expect(await call(api, 'DELETE', '/nodes/core:set/1.0.0', { as: operator })).toMatchObject({
      status: 409,
      body: { message: 'core:set is built into the product and cannot be deleted.' },
    });
    expect(await call(api, 'DELETE', '/nodes/core:set/9.0.0', { as: operator })).toMatchObject({ status: 404 });
    expect(await call(api, 'GET', '/nodes/core:set/1.0.0')).toMatchObject({ status: 200 });
  });
});

describe('execute:test and config:resolve', () => {
  const testing = (slug: string, body: object, as: object = user) =>
    call(api, 'POST', `/nodes/${slug}/1.0.0/execute:test`, { as, body });

  test('returns outputs, branch and logs', async () => {
    const answer = await testing('rest:echo', { config: { a: 1 }, inputs: { b: 2 } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ outputs: { a: 1, b: 2 }, branch: 'seen', logs: [] });
  });

  test('answers 422 with error and logs when the node threw', async () => {
    const answer = await testing('rest:throws', {});
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      error: { message: 'No such order.', code: 'NO_ORDER' },
      logs: [{ level: 'warn', message: 'about to fail' }],
    });
  });

  test('answers 409 without built code', async () => {
    const message =
      'This node version has no built code, so it cannot be executed. Its code is built when its package is registered.';
    expect(await testing('rest:broken', {})).toMatchObject({ status: 409, body: { message } });
    const resolving = await call(api, 'POST', '/nodes/rest:broken/latest/config:resolve', { body: { target: '*' } });
    expect(resolving).toMatchObject({ status: 409, body: { message } });
  });

  test("answers 404 to an unknown node and to another tenant's workflow", async () => {
    expect(await testing('rest:none', {})).toMatchObject({ status: 404, body: { message: 'Not found.' } });
    const { body } = await call(api, 'POST', '/workflows', { body: { name: 'Private' } });
    const foreign = await testing('rest:echo', { workflow_id: body['id'] }, { ...user, tenant: 'acme-outlet' });
    expect(foreign).toMatchObject({ status: 404 });
  });

  test.each([
    [{ timeout_ms: 999 }, 'timeout_ms'],
    [{ config: [] }, 'config'],
    [{ inputs: 'x' }, 'inputs'],
    [{ workflow_id: 'x' }, 'workflow_id'],
  ])('execute:test answers 422 to %j', async (body, field) => {
    expect(await testing('rest:echo', body)).toMatchObject({
      status: 422,
      body: { errors: { [field]: [expect.any(String)] } },
    });
  });

  test('resolves the fields that the manifest declares, within limits', async () => {
    const path = '/nodes/rest:echo/latest/config:resolve';
    expect(await call(api, 'POST', path, { as: user, body: { target: '*', config: { a: 1 } } })).toMatchObject({
      status: 200,
      body: { fields: [], outputs: [] },
    });
    for (const [field, length] of [
      ['target', 128],
      ['locale', 16],
      ['search', 200],
    ] as const) {
      const body = { target: '*', [field]: 'x'.repeat(length + 1) };
      const answer = await call(api, 'POST', path, { as: user, body });
      expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
    }
  });
});

describe('images of packages', () => {
  test('are served only with the signed link', async () => {
    const body = await packNodePackage(fileURLToPath(new URL('../../examples/erp-nodes/', import.meta.url)));
    const { status } = await call(api, 'POST', upload, { as: operator, body: Buffer.from(body), headers: gzip });
    expect(status).toBe(201);
    const { data } = await api.graphql<{ credentialTypes: { edges: { node: { icon: string | null } }[] } }>(
      '{ credentialTypes { edges { node { icon } } } }',
    );
    const types = data.credentialTypes.edges.map(({ node }) => node);
    const src = new URL(types.map(({ icon }) => icon).find((icon) => icon !== null) ?? '');
    const nobody = { bearer: null, tenant: null };
    const image = await call(api, 'GET', `${src.pathname}${src.search}`, { as: nobody });
    expect(image).toMatchObject({ status: 200, headers: { 'x-content-type-options': 'nosniff' } });
    const tampered = await call(api, 'GET', `${src.pathname}${src.search}x`, { as: nobody });
    expect(tampered).toMatchObject({ status: 403, body: { message: 'Invalid signature.' } });
    expect(await call(api, 'GET', src.pathname, { as: nobody })).toMatchObject({ status: 403 });
  });
});
