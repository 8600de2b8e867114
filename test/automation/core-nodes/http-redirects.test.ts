import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Egress } from '#src/infra/egress/egress.ts';
import { run } from './context.ts';
import { egressToReceivers, type Receiver, startReceiver } from './receiver.ts';

let server: Receiver;
let other: Receiver;
let egress: Egress;
const seen: {
  at: 'server' | 'other';
  request: string;
  authorization: string | undefined;
  key: unknown;
  body: string;
}[] = [];

beforeAll(async () => {
  const start = (at: 'server' | 'other') =>
    startReceiver(({ method, url = '/', headers }, body, response) => {
      const { authorization, 'x-key': key } = headers;
      seen.push({ at, request: `${method} ${url}`, authorization, key, body: String(body) });
      const { searchParams } = new URL(url, 'http://x');
      const to = searchParams.get('to');
      if (to !== null) response.setHeader('location', to);
      response
        .writeHead(to === null ? Number(searchParams.get('status') ?? 200) : Number(searchParams.get('as') ?? 302))
        .end('end');
    });
  server = await start('server');
  other = await start('other');
  egress = egressToReceivers(server, other);
});
afterEach(() => {
  seen.length = 0;
});
afterAll(async () => {
  await egress.close();
  await Promise.all([server.close(), other.close()]);
});

const renewed: unknown[] = [];
const credentials = {
  open: async () => ({
    type: 'core:bearer',
    field: async () => 'token-canary',
    renewIn: async (headers: unknown) => void renewed.push(headers),
  }),
};
const send = (to: string, config: object = {}, as = 302) =>
  run(
    'core:http-request',
    {
      url: `${server.url}/?as=${as}&to=${encodeURIComponent(to)}`,
      credential: 1,
      headers: { 'X-Key': 'k' },
      ...config,
    },
    { ports: { http: egress, credentials } },
  );

describe('a redirect', () => {
  test('of a GET or HEAD request is followed, and keeps its credential on the same origin', async () => {
    expect((await send('/there')).outputs).toMatchObject({ status: 200, body: 'end' });
    expect(seen.at(-1)).toMatchObject({ request: 'GET /there', authorization: 'Bearer token-canary', key: 'k' });
  });

  test('to another origin carries neither the credential nor other headers, and its 401 renews nothing', async () => {
    await expect(send(`${other.url}/there?status=401`)).rejects.toMatchObject({ code: 'HTTP_STATUS' });
    expect(seen.at(-1)).toEqual({
      at: 'other',
      request: 'GET /there?status=401',
      authorization: undefined,
      key: undefined,
      body: '',
    });
    expect([seen.length, renewed.length]).toEqual([2, 0]);
  });

  test.each(['http://10.0.0.1/', 'http://169.254.169.254/latest', 'http://127.0.0.1:1/', 'http://[::1]:8080/'])(
    'to %s is refused as a request would be',
    async (to) => {
      await expect(send(to)).rejects.toMatchObject({ code: expect.stringMatching(/^HTTP_REFUSED_/), retryable: false });
    },
  );

  test('loop ends at the limit', async () => {
    const deep = (levels: number): string => (levels === 0 ? '/' : `/?to=${encodeURIComponent(deep(levels - 1))}`);
    await expect(send(deep(6))).rejects.toMatchObject({ code: 'HTTP_TOO_MANY_REDIRECTS' });
    expect(seen).toHaveLength(6);
    expect((await send(deep(6), { max_redirects: 10 })).outputs).toMatchObject({ status: 200 });
  });

  test('is returned as the response if following is disabled, or if the request changes data', async () => {
    for (const config of [{ max_redirects: 0 }, { method: 'POST', body: { a: 1 } }]) {
      expect((await send('/there', config)).outputs).toMatchObject({ status: 302, headers: { location: '/there' } });
    }
    expect(seen).toHaveLength(2);
  });

  test('of a request that changes data is followed if the config says so, but its body is not sent to another origin', async () => {
    const post = { method: 'POST', body: { a: 1 }, max_redirects: 1 };
    await send('/there', post, 303);
    expect(seen.at(-1)).toMatchObject({ request: 'GET /there', body: '' });
    await send('/there', post, 307);
    expect(seen.at(-1)).toMatchObject({ request: 'POST /there', body: '{"a":1}' });
    await expect(send(`${other.url}/there`, post, 307)).rejects.toMatchObject({ code: 'HTTP_REFUSED_REDIRECT' });
    expect(seen.filter(({ at }) => at === 'other')).toEqual([]);
  });
});
