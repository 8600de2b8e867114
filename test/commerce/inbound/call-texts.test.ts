import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { openRunFiles } from '#src/automation/files/run-files.service.ts';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { sweepRetention } from '#src/automation/retention/retention-sweep.service.ts';
import { signBody } from '#src/infra/signing/webhook-signatures.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { readyWorkflow } from '#test/setup/engine.ts';
import { makeEndpoint, platformHeaders, secret, send, sendSigned } from './senders.ts';

const latin1 = Buffer.from('{"note":"Größe L"}', 'latin1');

test('a call whose text is not UTF-8 is refused, not stored with other letters', async ({ api }) => {
  const { handle } = await readyWorkflow(api, { nodes: [] });
  const made = await makeEndpoint(api, { topic: null, trigger_handle: handle });
  const sent = (type: string, body: Buffer) => {
    const signed = { ...platformHeaders('', { id: type }), 'x-platform-signature': signBody(body, [secret]) };
    return send(api, made.endpoint_id, { body, headers: { ...signed, 'content-type': type } });
  };
  for (const type of ['application/json', 'text/plain', 'application/json; charset=iso-8859-1'])
    expect(await sent(type, latin1)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  expect((await sent('application/json; charset=utf-16', Buffer.from('{}', 'utf16le'))).status).toBe(400);
  const { body: refused } = await callPlatform(api, 'GET', `/webhooks/inbound-endpoints/${made.id}/refusals`);
  expect(refused['items']).toMatchObject([{ reason: 'not_storable', count: 4 }]);

  expect((await sent('application/octet-stream', latin1)).status).toBe(202);
  const payloads = await api.database.tenantQuery('acme-shop', {
    text: `SELECT p.payload->'body' AS body FROM runs r
      JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id WHERE r.trigger_handle = $1`,
    values: [handle],
  });
  const [{ body } = { body: undefined }] = payloads as { body?: FileReference }[];
  expect(body).toMatchObject({ name: 'body', type: 'application/octet-stream', size: latin1.length });
  const files = openRunFiles(api.deps, { tenantId: 'acme-shop', runId: 1 }, (name) => name);
  expect(await buffer(await (await files.open(body as FileReference)).stream())).toEqual(latin1);
});

test('a form that cannot be stored leaves no file', async ({ api }) => {
  const { handle } = await readyWorkflow(api, { nodes: [] });
  const made = await makeEndpoint(api, { topic: null, trigger_handle: handle });
  const part = (name: string, content: string) =>
    `--XX\r\ncontent-disposition: form-data; ${name}\r\n\r\n${content}\r\n`;
  const body = Buffer.from(`${part('name="a"; filename="a.csv"', 'sku')}${part('name="b"', 'SO\0-1')}--XX--\r\n`);
  const signed = { ...platformHeaders('', { id: 'form-1' }), 'x-platform-signature': signBody(body, [secret]) };
  const headers = { ...signed, 'content-type': 'multipart/form-data; boundary=XX' };
  expect((await send(api, made.endpoint_id, { body, headers })).status).toBe(422);
  await sweepRetention(api.deps, { pauseMs: 0 });
  const { rows } = await api.database.system.query(`SELECT id FROM run_files WHERE name = 'a.csv'`);
  expect(rows).toEqual([]);
});

test('64-bit ids that no double represents are distinguished', async ({ api }) => {
  const made = await makeEndpoint(api, {
    verifier: 'api_key',
    config: { header: 'X-Key', value: secret, id_path: 'event.id' },
  });
  const sent = async (id: string) => {
    const body = `{"event":{"id":${id}}}`;
    return (await send(api, made.endpoint_id, { body, headers: { 'x-key': secret } })).body;
  };
  const [first, second] = ['1234567890123456789', '1234567890123456790'] as const;
  expect(await sent(first)).toEqual({ event_id: first, duplicate: false });
  expect(await sent(second)).toEqual({ event_id: second, duplicate: false });
  expect(await sent(first)).toEqual({ event_id: first, duplicate: true });
  expect(await sent('1001')).toEqual({ event_id: '1001', duplicate: false });
  expect(await sent('"1001"')).toEqual({ event_id: '1001', duplicate: true });
});

test('an event has its numbers as they were sent, and as text if no double represents them', async ({ api }) => {
  const made = await makeEndpoint(api, { topic: 'erp.price.sent' });
  const sent = '{"id": 820982911946154508, "price": 10.10, "list": [1.000 ,2.50], "none": 1e400}';
  await sendSigned(api, made.endpoint_id, 'n-1', sent);
  await sendSigned(api, made.endpoint_id, 'n-2', '{"__proto__": {"price": 10.10}, "price": 10.10}');
  const { rows } = await api.database.system.query<{ data: string }>(
    'SELECT data::text FROM outbox_events WHERE topic = $1 ORDER BY id',
    ['erp.price.sent'],
  );
  expect(rows.map(({ data }) => data)).toEqual([
    '{"id": "820982911946154508", "list": [1.000, 2.50], "none": "1e400", "price": 10.10}',
    '{"price": 10.1}',
  ]);
});
