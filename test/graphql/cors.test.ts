import { describe, expect } from 'vitest';
import { originRule } from '#src/infra/http/cors.ts';
import { test as base } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const shop = 'https://shop.example';
const test = base.extend(
  'appOptions',
  { scope: 'file' },
  {
    allowsOrigin: originRule([shop], { anyLocalhost: false }),
  },
);

const paths = ['/graphql', '/api/v1/workflows', '/api/v1/admin/audit-logs'];

/** The CORS headers of an answer, without their common prefix. */
const corsHeaders = ({ headers }: { headers: Record<string, unknown> }) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('access-control-') ? [[name.slice('access-control-'.length), value]] : [],
    ),
  );

const preflight = ({ app }: TestApp, url: string, origin: string) =>
  app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-tenant-id',
    },
  });

describe('a page of an allowed origin', () => {
  test.for(paths)('may send a preflight before it calls %s, and read every response', async (url, { api }) => {
    const asked = await preflight(api, url, shop);
    expect([asked.statusCode, corsHeaders(asked)]).toEqual([
      204,
      {
        'allow-origin': shop,
        'allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'allow-headers': 'authorization,content-type,x-tenant-id',
        'max-age': '600',
      },
    ]);
    const refused = await api.app.inject({ url, headers: { origin: shop } });
    expect(refused.statusCode).toBeGreaterThanOrEqual(400);
    expect(corsHeaders(refused)).toEqual({ 'allow-origin': shop, 'expose-headers': '*' });
    expect(refused.headers['vary']).toBe('Origin');
  });

  test('runs operations', async ({ api }) => {
    const answer = await api.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { origin: shop, authorization: `Bearer ${await api.token()}`, 'content-type': 'application/json' },
      payload: { query: '{ me { claims { sub } } }' },
    });
    expect(answer.json()).toEqual({ data: { me: { claims: { sub: 'test-admin' } } } });
    expect(corsHeaders(answer)['allow-origin']).toBe(shop);
  });
});

describe('a page of any other origin', () => {
  test.for(['https://evil.example', `${shop}.evil.example`, 'http://shop.example', 'http://localhost:5173', 'null'])(
    'reads nothing: %s',
    async (origin, { api }) => {
      for (const url of paths) {
        expect(corsHeaders(await preflight(api, url, origin))).toEqual({});
        expect(corsHeaders(await api.app.inject({ url, headers: { origin } }))).toEqual({});
      }
    },
  );
});

describe('in development', () => {
  const rule = originRule([], { anyLocalhost: true });

  test('any port of localhost is allowed, but no similar host', () => {
    expect(['http://localhost:5173', 'http://localhost'].every(rule)).toBe(true);
    const others = ['http://localhost.evil.example', 'http://localhost:1@evil.example', 'https://evil.example', 'null'];
    expect(others.filter(rule)).toEqual([]);
  });
});
