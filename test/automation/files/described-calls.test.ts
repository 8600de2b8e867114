import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { callNode } from '#src/automation/connectors/calls/call-node.ts';
import { openRunFiles } from '#src/automation/files/run-files.service.ts';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { checkValue } from '#src/automation/node-api/value-checks.rules.ts';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress, type Egress } from '#src/infra/egress/egress.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type FileServer, sending, startFileServer } from './file-servers.ts';

let api: TestApp;
let server: FileServer;
let egress: Egress;
const pdf = Buffer.from([0x25, 0x50, 0xff, 0x00]);

test.beforeAll(async ({ api: started }) => {
  api = started;
  server = await startFileServer({
    '/label': sending(pdf, { 'content-type': 'application/pdf' }),
    '/list': sending('[1]', { 'content-type': 'application/json' }),
  });
  egress = createEgress({ allow: parseAllowList(server.host) });
});
test.afterAll(async () => {
  await egress.close();
  await server.close();
});

const files = () => openRunFiles(api.deps, { tenantId: 'acme-shop', runId: 6_001 }, (name) => name);

const unused = (): never => {
  throw new Error('The node reached for a port that this test does not give it.');
};

const send = (call: Partial<ApiCall>, config: object) =>
  callNode({
    slug: 'acme:call',
    version: '1.0.0',
    call: { method: 'POST', base_url: server.url, path: '/in', parameters: [], answers: [], ...call },
  }).execute(config, {
    inputs: {},
    scope: { trigger: { payload: null, type: 'manual', handle: null }, nodes: {}, run: { id: 1, started_at: '' } },
    evaluate: unused,
    hasEdge: () => false,
    signal: new AbortController().signal,
    idempotencyKey: 'run-1/step/1',
    ports: {
      tenant: { id: unused, actor: unused },
      credentials: { open: unused },
      state: { get: unused, set: unused },
      events: { emit: unused },
      sandbox: { run: unused },
      sockets: { open: unused },
      http: egress,
      files: files(),
    },
  });

test('a binary answer becomes a file, and one of JSON stays content', async () => {
  const { outputs } = await send({ method: 'GET', path: '/label' }, {});
  const reference = outputs['body'] as FileReference;
  expect(reference).toMatchObject({ name: 'label', type: 'application/pdf', size: 4 });
  expect(await buffer(await (await files().open(reference)).stream())).toEqual(pdf);
  expect((await send({ method: 'GET', path: '/list' }, {})).outputs['body']).toEqual([1]);
});

test('a binary body takes a file reference, and base64 as before', async () => {
  const reference = await files().create({ name: 'a.pdf' }, Readable.from([pdf]));
  const body = { field: 'body', media_type: 'application/pdf', as: 'bytes' } as const;
  for (const given of [reference, pdf.toString('base64')]) {
    await send({ body }, { body: given });
    expect(server.got.at(-1)).toMatchObject({ headers: { 'content-type': 'application/pdf' }, body: pdf });
  }
  await expect(send({ body }, { body: { a: 1 } })).rejects.toThrow('must be a file reference or base64 text.');
});

test('a part of a multipart body takes a file reference', async () => {
  const reference = await files().create({ name: 'a.pdf', type: 'application/pdf' }, Readable.from([pdf]));
  const body = {
    field: 'body',
    media_type: 'multipart/form-data',
    as: 'multipart',
    encoding: { doc: { file: true } },
  } as const;
  await send({ body }, { body: { doc: reference, kind: 'label' } });
  const got = server.got.at(-1) as (typeof server.got)[number];
  const type = String(got.headers['content-type']);
  const form = await new Response(new Uint8Array(got.body), { headers: { 'content-type': type } }).formData();
  const doc = form.get('doc') as File;
  expect([form.get('kind'), doc.name, doc.type, Buffer.from(await doc.arrayBuffer())]).toEqual([
    'label',
    'a.pdf',
    'application/pdf',
    pdf,
  ]);
});

test('a field of bytes takes a reference, and one whose text must match a pattern does not', () => {
  const check = (more: object) =>
    checkValue(
      { file: 'file_AAAAAAAAAAAAAAAAAAAAAA' },
      { key: 'body', type: 'text', label: 'Body', ...more },
      {
        expressions: false,
        budget: { work: 1_000, patterns: new Map() },
      },
    );
  expect([check({}), check({ pattern: '^a$' }).length]).toEqual([[], 1]);
});
