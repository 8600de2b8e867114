import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { makeEndpoint, platformHeaders } from '#test/commerce/inbound/senders.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await api.app.listen({ port: 0, host: '127.0.0.1' });
});

const body = '{"number":"1001"}';

async function post(path: string, headers: Record<string, string>) {
  const { port } = api.app.server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  const { date: _date, 'x-request-id': id, ...shared } = Object.fromEntries(response.headers);
  expect(id).toMatch(/^[\da-f-]{36}$/);
  return { status: response.status, headers: shared, text: await response.text() };
}

test.each(['application/json', 'json', 'text/plain; charset=utf-8'])(
  'a call in %s gets the same response with and without an origin, accepted or refused',
  async (type) => {
    const made = await makeEndpoint(api, { topic: 'erp.order.posted' });
    const given = (id: string) => ({ ...platformHeaders(body, { id }), 'content-type': type });
    const both = async (path: string, headers: Record<string, string>) => {
      const response = await post(path, headers);
      expect(response).toEqual(await post(path, { ...headers, origin: 'https://shop.example' }));
      return response.status;
    };
    const path = `/in/${made.endpoint_id}`;
    expect((await post(path, given('a-1'))).text).toBe('{"event_id":"a-1","duplicate":false}');
    expect(await both(path, given('a-1'))).toBe(202);
    expect(await both(path, { ...given('a-2'), 'x-platform-signature': 'v0=0' })).toBe(401);
    expect(await both(path, given('x'.repeat(256)))).toBe(422);
    expect(await both(`/in/${'A'.repeat(32)}`, given('a-3'))).toBe(404);
    expect(await both(`${path}/more`, given('a-4'))).toBe(404);
  },
);
