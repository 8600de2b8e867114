import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { openRunFiles } from '#src/automation/files/run-files.service.ts';
import { readParts } from '#src/automation/http-calls/forms.ts';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { sweepRetention } from '#src/automation/retention/retention-sweep.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';

const pdf = randomBytes(5_000);

const post = async (api: TestApp, handle: string, payload: Buffer = pdf, type = 'application/pdf') =>
  api.app.inject({
    method: 'POST',
    url: `/api/v1/webhooks/${handle}`,
    headers: {
      authorization: `Bearer ${await api.token()}`,
      'x-tenant-id': 'acme-shop',
      'content-type': type,
    },
    payload,
  });

const listFiles = async (api: TestApp) =>
  (await api.database.system.query<{ run_id: number }>('SELECT run_id FROM run_files')).rows;

test('the binary body of a webhook is a file of the run that it starts', async ({ api }) => {
  const { handle } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  const fired = await post(api, handle);
  const { run_id: runId } = fired.json<{ run_id: number }>();
  expect(fired.statusCode).toBe(202);
  const [row] = await api.database.tenantQuery<{ body: FileReference }>('acme-shop', {
    text: `SELECT payload->'body' AS body FROM run_payloads WHERE tenant_id = $1 AND run_id = $2`,
    values: ['acme-shop', runId],
  });
  const body = row?.body as FileReference;
  expect(body).toMatchObject({ name: 'body', type: 'application/pdf', size: 5_000 });
  expect(await listFiles(api)).toEqual([{ run_id: runId }]);
  const files = openRunFiles(api.deps, { tenantId: 'acme-shop', runId }, (name) => name);
  expect((await buffer(await (await files.open(body)).stream())).equals(pdf)).toBe(true);
});

const formType = 'multipart/form-data; boundary=XX';
/** Each part is a name, a file name if it is a file, and the content. */
const writeForm = (...parts: [string, string | undefined, string | Buffer][]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([name, filename, content]) => [
      Buffer.from(`--XX\r\ncontent-disposition: form-data; name="${name}"`),
      Buffer.from(filename === undefined ? '\r\n\r\n' : `; filename="${filename}"\r\ncontent-type: text/csv\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--XX--\r\n'),
  ]);

const readPayloadBody = async (api: TestApp, runId: number) => {
  const [row] = await api.database.tenantQuery<{ body: unknown }>('acme-shop', {
    text: `SELECT payload->'body' AS body FROM run_payloads WHERE tenant_id = $1 AND run_id = $2`,
    values: ['acme-shop', runId],
  });
  return row?.body;
};

test('a multipart form of a webhook is its fields, with a file of the run for each of its files', async ({ api }) => {
  const { handle } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  const form = writeForm(
    ['order', undefined, 'SO-1'],
    ['tag', undefined, 'a'],
    ['tag', undefined, 'b'],
    ['stock', '../stock.csv', 'sku;qty'],
    ['__proto__', undefined, 'own'],
    ['label', 'label.bin', pdf],
  );
  const { run_id: runId } = (await post(api, handle, form, formType)).json<{ run_id: number }>();
  const body = (await readPayloadBody(api, runId)) as Record<string, FileReference>;
  expect(Object.entries(body)).toEqual(
    expect.arrayContaining([
      ['order', 'SO-1'],
      ['tag', ['a', 'b']],
      ['__proto__', 'own'],
      ['stock', expect.objectContaining({ name: 'stock.csv', type: 'text/csv', size: 7 })],
      ['label', expect.objectContaining({ name: 'label.bin', size: 5_000 })],
    ]),
  );
  const files = openRunFiles(api.deps, { tenantId: 'acme-shop', runId }, (name) => name);
  const label = body['label'] as FileReference;
  expect((await buffer(await (await files.open(label)).stream())).equals(pdf)).toBe(true);
  const own = (await listFiles(api)).filter((file) => file.run_id === runId);
  expect(own).toHaveLength(2);
});

test('a form that cannot be read is one file, so that nothing is lost', async ({ api }) => {
  const { handle } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  const cut = writeForm(['stock', 'stock.csv', 'sku;qty']).subarray(0, 80);
  const { run_id: runId } = (await post(api, handle, cut, formType)).json<{ run_id: number }>();
  expect(await readPayloadBody(api, runId)).toMatchObject({ name: 'body', size: 80 });
});

test('a form that is cut short anywhere does not harm the server, and is one file', async ({ api }) => {
  const { handle } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  const whole = writeForm(['order', undefined, 'SO-1'], ['stock', 'stock.csv', 'sku;qty']);
  for (let size = whole.length - 20; size < whole.length - 4; size += 1) {
    const { run_id: runId } = (await post(api, handle, whole.subarray(0, size), formType)).json<{ run_id: number }>();
    expect(await readPayloadBody(api, runId)).toMatchObject({ name: 'body', size });
  }
});

test.each([
  ['without a name', '--XX\r\ncontent-disposition: form-data\r\n\r\n1\r\n--XX--\r\n'],
  ['with a file without a name', '--XX\r\ncontent-disposition: form-data; filename="a"\r\n\r\n1\r\n--XX--\r\n'],
  ['with a name that is too long', writeForm(['n'.repeat(1_025), undefined, '1'])],
])('a form with a field %s is one file', async (_what, form) => {
  expect(await readParts(formType, Buffer.from(form))).toBeUndefined();
});

test('a form with more files than allowed is refused, and leaves none', async ({ api }) => {
  const { handle } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  const before = await listFiles(api);
  const parts = Array.from({ length: 101 }, (_, n): [string, string, string] => [`f${n}`, `${n}.csv`, 'x']);
  const refused = await post(api, handle, writeForm(...parts), formType);
  expect([refused.statusCode, refused.body]).toEqual([413, expect.stringContaining('100 files')]);
  expect(await listFiles(api)).toEqual(before);
});

test('a form that cannot be stored is refused, and leaves no file', async ({ api }) => {
  const { handle } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  const before = await listFiles(api);
  const form = writeForm(['stock', 'stock.csv', 'sku;qty'], ['order', undefined, 'SO\0-1']);
  expect((await post(api, handle, form, formType)).statusCode).toBe(422);
  await sweepRetention(api.deps, { pauseMs: 0 });
  expect(await listFiles(api)).toEqual(before);
});

test('a webhook without a trigger leaves no file', async ({ api }) => {
  const before = await listFiles(api);
  expect((await post(api, '00000000-0000-4000-8000-000000000000')).statusCode).toBe(404);
  await sweepRetention(api.deps, { pauseMs: 0 });
  expect(await listFiles(api)).toEqual(before);
});
