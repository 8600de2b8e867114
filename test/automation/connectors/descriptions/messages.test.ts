import { expect, test } from 'vitest';
import type { ApiDescription } from '#src/automation/connectors/descriptions/api-description.ts';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { makePackage } from '#src/automation/connectors/packages/make-package.ts';

const read = (document: unknown): Promise<ApiDescription> => readDescription(Buffer.from(JSON.stringify(document)));

const order = {
  type: 'object',
  required: ['number'],
  properties: { number: { type: 'string' }, parent: { $ref: '#/components/schemas/Order' } },
};
const json = (schema: unknown) => ({ content: { 'application/json; charset=utf-8': { schema } } });

test('webhooks of OpenAPI become messages with the schema of their body, their headers and a hint at the signature', async () => {
  const api = await read({
    openapi: '3.1.0',
    info: { title: 'Shop' },
    webhooks: {
      'order.created': {
        parameters: [{ name: 'X-Shop-Signature', in: 'header', schema: { type: 'string' } }],
        post: {
          summary: 'Order created',
          description: 'Sent once for each order.',
          parameters: [
            { name: 'X-Id', in: 'header', schema: { type: 'string' } },
            { name: 'a', in: 'query' },
          ],
          requestBody: json({ $ref: '#/components/schemas/Order' }),
        },
      },
      ping: { get: {} },
      csv: { post: { requestBody: { content: { 'text/csv': {} } } } },
      remote: { post: { requestBody: json({ $ref: 'https://else.example/a.json' }) } },
    },
    components: { schemas: { Order: order } },
  });
  expect(api.messages).toEqual([
    {
      name: 'order-created',
      title: 'Order created',
      summary: 'Sent once for each order.',
      headers: ['X-Id', 'X-Shop-Signature'],
      signatureHeader: 'X-Shop-Signature',
      schema: { $ref: '#/$defs/Order' },
    },
  ]);
  expect(Object.keys(api.definitions)).toEqual(['Order']);
  expect(api.skipped.map(({ operation, reason }) => `${operation}: ${reason}`)).toEqual([
    'ping: It is a webhook without a body.',
    'csv: It is a webhook whose body is not JSON.',
    expect.stringMatching(/^remote: .*another document/) as string,
  ]);
  const { messages, nodes } = makePackage(api, { all: true }, 'shop');
  expect(nodes).toEqual([]);
  expect(messages).toEqual([
    {
      slug: 'shop:order-created',
      version: '1.0.0',
      name: 'Order created',
      description: 'Sent once for each order.',
      headers: ['X-Id', 'X-Shop-Signature'],
      signature_header: 'X-Shop-Signature',
      schema: { type: 'object', properties: { number: { type: 'string' }, parent: {} }, required: ['number'] },
    },
  ]);
});

test('messages of AsyncAPI are read whatever their protocol is, and its operations are skipped with the reason', async () => {
  const api = await read({
    asyncapi: '3.0.0',
    info: { title: 'Stock' },
    servers: { main: { host: 'kafka.example', protocol: 'kafka' } },
    channels: {
      stock: {
        messages: {
          changed: { title: 'Stock changed', payload: { type: 'object', properties: { sku: { type: 'string' } } } },
          avro: { payload: { schemaFormat: 'application/vnd.apache.avro;version=1.9.0', schema: {} } },
          none: {},
        },
      },
      hook: { bindings: { http: {} }, messages: { called: { $ref: '#/components/messages/called' } } },
    },
    operations: {
      receiveStock: { action: 'receive', channel: { $ref: '#/channels/stock' } },
      sendHook: { action: 'send', channel: { $ref: '#/channels/hook' } },
      takeHook: { action: 'receive', channel: { $ref: '#/channels/hook' } },
    },
    components: {
      messages: {
        called: {
          headers: { type: 'object', properties: { 'X-SIGNATURE': {} } },
          payload: { $ref: '#/components/schemas/Order' },
        },
      },
      schemas: { Order: order },
    },
  });
  expect(
    api.messages?.map(({ name, title, summary, signatureHeader }) => [name, title, summary, signatureHeader]),
  ).toEqual([
    ['changed', 'Stock changed', 'Sent by kafka; a bridge passes it on by HTTP.', undefined],
    ['called', 'called', '', 'X-SIGNATURE'],
  ]);
  expect(api.operations).toEqual([]);
  expect(api.skipped).toEqual([
    {
      operation: 'message avro',
      reason: 'Its payload is described in another language, application/vnd.apache.avro;version=1.9.0.',
    },
    { operation: 'message none', reason: 'It is a message without a payload.' },
    {
      operation: 'receiveStock',
      reason:
        'Its channel uses kafka, which Causeway does not speak. Its messages can be received by HTTP from a bridge.',
    },
    {
      operation: 'takeHook',
      reason: 'The API receives its messages, and AsyncAPI does not say how such a request is answered.',
    },
  ]);
});
