import { describe, expect } from 'vitest';
import { makeKey } from '#src/identity/api-keys/api-keys.rules.ts';
import { createWrongKeys } from '#src/identity/api-keys/wrong-keys.rules.ts';
import { test as appTest } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSocket, socketUrl } from '#test/setup/live.ts';

const test = appTest.extend('appOptions', { scope: 'file' }, { wrongKeysPerMinute: 5 });

const makeHeaders = (key: string) => ({ 'x-platform-api-key': key, 'x-platform-tenant': 'acme-shop' });

const ask = async ({ app }: TestApp, key: string, remoteAddress: string) =>
  app.inject({ url: '/v1/openapi.json', headers: makeHeaders(key), remoteAddress });

const readStatuses = async (api: TestApp, keys: string[], address: string): Promise<number[]> => {
  const statuses = [];
  for (const key of keys) statuses.push((await ask(api, key, address)).statusCode);
  return statuses;
};

const wrong = (count: number): string[] => Array.from({ length: count }, () => makeKey().key);

describe('wrong API keys', () => {
  test('are refused with 429 above the limit of their address, with the time to wait', async ({ api }) => {
    expect(await readStatuses(api, wrong(7), '192.0.2.1')).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const [key = ''] = wrong(1);
    expect(await readStatuses(api, [key, key, 'nonsense'], '192.0.2.1')).toEqual([429, 429, 429]);
    const { headers, body } = await ask(api, key, '192.0.2.1');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(JSON.parse(body)).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
  });

  test('affect neither a valid key of that address, including a new one, nor another address', async ({ api }) => {
    await readStatuses(api, wrong(10), '192.0.2.2');
    expect((await ask(api, await api.apiKey(['*']), '192.0.2.2')).statusCode).toBe(200);
    expect(await readStatuses(api, wrong(1), '192.0.2.3')).toEqual([401]);
  });

  test('count equally over GraphQL, its sockets, and unknown paths', async ({ api }) => {
    const remoteAddress = '192.0.2.4';
    const [key = ''] = wrong(1);
    const graphql = () =>
      api.app.inject({
        method: 'POST',
        url: '/graphql',
        headers: makeHeaders(key),
        payload: { query: '{ __typename }' },
        remoteAddress,
      });
    for (let asked = 0; asked < 5; asked += 1) await graphql();
    const { statusCode, headers } = await graphql();
    expect([statusCode, Number(headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    const nowhere = await api.app.inject({ url: '/v1/nowhere', headers: makeHeaders(key), remoteAddress });
    expect(nowhere.statusCode).toBe(429);

    const client = await openSocket(await socketUrl(api));
    client.send({ type: 'connection_init', payload: makeHeaders(key) });
    await client.until((messages) => messages.some(({ type }) => type === 'connection_ack'));
    for (let id = 0; id < 6; id += 1)
      client.send({ id: `${id}`, type: 'subscribe', payload: { query: '{ __typename }' } });
    const errors = await client.until((messages) => {
      const found = messages.filter(({ type }) => type === 'error');
      return found.length === 6 && found;
    });
    expect(JSON.stringify(errors.at(-1))).toContain('TOO_MANY_ATTEMPTS');
    client.socket.close();
  });
});

describe('the count of wrong keys', () => {
  test('admits one as soon as the wait is over, and all after a minute', () => {
    let now = 0;
    const keys = createWrongKeys(4, () => now);
    const count = (times: number) => Array.from({ length: times }, (_, index) => keys.count('192.0.2.1', `${index}`));
    expect(count(6)).toEqual([0, 0, 0, 0, 15_000, 15_000]);
    now = 15_000;
    expect(count(2)).toEqual([0, 15_000]);
    now = 90_000;
    expect(count(5)).toEqual([0, 0, 0, 0, 15_000]);
  });

  test('counts the addresses of one IPv6 network together, and those of IPv4 separately', () => {
    const keys = createWrongKeys(1, () => 0);
    const isFirst = (address: string) => keys.count(address, address) === 0;
    expect(['2001:db8::1', '2001:db8:0:0:ffff::1', '2001:db8:0:1::1', '::1', '::2'].map(isFirst)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(['::ffff:192.0.2.1', '::ffff:192.0.2.2', '192.0.2.1'].map(isFirst)).toEqual([true, true, true]);
  });

  test('does not exist if the limit is off', () => {
    const keys = createWrongKeys(0, () => 0);
    expect(
      Array.from({ length: 100 }, () => keys.count('192.0.2.1', 'x') + keys.requiredWait('192.0.2.1', 'x')),
    ).toEqual(Array.from({ length: 100 }, () => 0));
  });
});
