import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const decoders = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync };
const long = '{ __schema { types { name description } } }';
const short = '{ __typename }';

let api: TestApp;
let headers: Record<string, string>;
test.beforeAll(async ({ api: started }) => {
  api = started;
  headers = { authorization: `Bearer ${await api.token()}`, 'x-tenant-id': 'acme-shop' };
});

const query = (text: string, encoding: string, more: Record<string, string> = {}) =>
  api.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { ...headers, 'accept-encoding': encoding, ...more },
    payload: { query: text },
  });

describe.for(['br', 'zstd', 'gzip'] as const)('an answer in %s', (encoding) => {
  test('decodes to the answer that is sent without it', async () => {
    const plain = await query(long, 'identity');
    expect(plain.headers['content-encoding']).toBeUndefined();
    const packed = await query(long, encoding);
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.headers['vary']).toContain('accept-encoding');
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
    expect(decoders[encoding](packed.rawPayload).toString()).toBe(plain.body);
  });

  test('is sent for GET, and for the OpenAPI description', async () => {
    const asked = { headers: { ...headers, 'accept-encoding': encoding } };
    for (const url of [`/graphql?query=${encodeURIComponent(long)}`, '/api/v1/openapi.json']) {
      const answer = await api.app.inject({ url, ...asked });
      expect(answer.headers['content-encoding'], url).toBe(encoding);
      expect(JSON.parse(decoders[encoding](answer.rawPayload).toString())).toBeTypeOf('object');
    }
  });
});

test('the encoding is the one that the request prefers', async () => {
  expect((await query(long, 'gzip, br;q=0.5')).headers['content-encoding']).toBe('gzip');
  expect((await query(long, 'deflate')).headers['content-encoding']).toBeUndefined();
  expect((await query(long, 'br;q=0')).headers['content-encoding']).toBeUndefined();
});

test('an answer below 1 KiB is sent as it is', async () => {
  const answer = await query(short, 'br');
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(answer.json()).toEqual({ data: { __typename: 'Query' } });
});

test('the answer to a mutation is never compressed, over GraphQL and over REST, because it may contain a new secret', async () => {
  const name = 'x'.repeat(90);
  const fields = Array.from({ length: 12 }, (_, index) => `n${index}: name`).join(' ');
  const mutation = `mutation { createApiKey(input: { name: "${name}", scopes: ["orders:read"] }) {
    ... on CreateApiKeyPayload { secret apiKey { ${fields} } } } }`;
  const answer = await query(mutation, 'br');
  expect(answer.json()).toMatchObject({ data: { createApiKey: { secret: expect.any(String) } } });
  expect(answer.rawPayload.length).toBeGreaterThan(1_024);
  expect(answer.headers['content-encoding']).toBeUndefined();
  const workflow = await api.app.inject({
    method: 'POST',
    url: '/api/v1/workflows',
    headers: { ...headers, 'accept-encoding': 'br' },
    payload: { name: 'Long', description: 'y'.repeat(2_000) },
  });
  expect(workflow.statusCode).toBe(201);
  expect(workflow.headers['content-encoding']).toBeUndefined();
});

test('an array of operations is compressed if all of them are queries', async () => {
  const batch = (...texts: string[]) =>
    api.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { ...headers, 'accept-encoding': 'br' },
      payload: texts.map((text) => ({ query: text })),
    });
  const queries = await batch(long, short);
  expect(queries.headers['content-encoding']).toBe('br');
  expect(JSON.parse(decoders.br(queries.rawPayload).toString())).toHaveLength(2);
  const withMutation = await batch(long, 'mutation { putSecret(input: { key: "PW", value: "x" }) { __typename } }');
  expect(withMutation.headers['content-encoding']).toBeUndefined();
  expect(withMutation.json()).toHaveLength(2);
});

test('an event stream is not compressed', async () => {
  const answer = await query(long, 'br', { accept: 'text/event-stream' });
  expect(answer.headers['content-type']).toContain('text/event-stream');
  expect(answer.headers['content-encoding']).toBe('none');
  expect(answer.body).toContain('event: next');
});

test('a refused query is compressed like an answer', async () => {
  const fields = Array.from({ length: 60 }, (_, index) => `unknown${index}`).join(' ');
  const answer = await query(`{ ${fields} }`, 'gzip');
  expect(answer.headers['content-encoding']).toBe('gzip');
  expect(JSON.parse(gunzipSync(answer.rawPayload).toString())).toHaveProperty('errors');
});
