import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import type { Resolve } from '#src/infra/egress/connector.ts';
import { createEgress } from '#src/infra/egress/egress.ts';
import { computesLong } from '#test/setup/timeouts.ts';
import { egressTo, serve } from './loopback-server.ts';

test.each([
  'http://127.0.0.1:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://0:PORT/',
  'http://[::1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://localhost:PORT/',
  'http://LOCALHOST.:PORT/',
  'http://api.localhost:PORT/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://１２７.0.0.1:PORT/',
])('%s is refused and never reached', async (url) => {
  const server = await serve((_request, response) => response.end('secret'));
  const egress = egressTo([]);
  await expect(egress.request({ url: url.replace('PORT', String(server.port)) })).rejects.toMatchObject({
    code: 'refused_address',
  });
  expect(server.connections).toBe(0);
});

test('the allow list admits an address by its literal and by localhost, only on its port', async () => {
  const server = await serve((_request, response) => response.end('ok'));
  const other = await serve((_request, response) => response.end('secret'));
  const egress = egressTo([server]);
  for (const host of ['127.0.0.1', '2130706433', 'localhost']) {
    expect((await egress.request({ url: `http://${host}:${server.port}/` })).body.toString()).toBe('ok');
  }
  await expect(egress.request({ url: other.url })).rejects.toMatchObject({
    code: 'refused_address',
    message: expect.stringMatching(new RegExp(`add .*:${other.port} to EGRESS_ALLOW`)),
  });
  expect(other.connections).toBe(0);
});

test('the allow list admits an IPv6 literal', async () => {
  const server = await serve((_request, response) => response.end('six'), '::1');
  expect((await egressTo([server]).request({ url: server.url })).body.toString()).toBe('six');
});

test('the allow list admits a name, whatever it resolves to', async () => {
  const server = await serve((_request, response) => response.end('ok'));
  const egress = createEgress({
    allow: parseAllowList(`erp.internal:${server.port}`),
    resolve: () => Promise.resolve(['127.0.0.1']),
  });
  expect((await egress.request({ url: `http://erp.internal:${server.port}` })).body.toString()).toBe('ok');
  await expect(egress.request({ url: `http://crm.internal:${server.port}` })).rejects.toMatchObject({
    code: 'refused_address',
  });
  await egress.close();
});

test('a name is resolved once a connection and connects to the answer that was checked', async () => {
  const server = await serve((request, response) => {
    response.setHeader('connection', 'close');
    response.end(request.headers.host);
  });
  const answers = ['127.0.0.1', '10.0.0.1', '127.0.0.1'];
  let asked = 0;
  const egress = egressTo([server], {
    resolve: () => {
      asked += 1;
      return Promise.resolve([answers[asked - 1] ?? '']);
    },
  });
  const url = `http://rebinding.example:${server.port}/`;
  expect((await egress.request({ url })).body.toString()).toBe(`rebinding.example:${server.port}`);
  expect(asked).toBe(1);
  await expect(egress.request({ url })).rejects.toMatchObject({ code: 'refused_address' });
  expect(asked).toBe(2);
  expect((await egress.request({ url })).status).toBe(200);
  expect(server.connections).toBe(2);
});

test.each([
  [['93.184.216.34', '10.0.0.1']],
  [['10.0.0.1', '93.184.216.34']],
  [['2606:4700:4700::1111', '::ffff:127.0.0.1']],
  [['fe80::1%eth0']],
  [['not-an-address']],
])('a name that answers %j is refused', async (addresses) => {
  const egress = egressTo([], { resolve: () => Promise.resolve(addresses) });
  const error: unknown = await egress.request({ url: 'http://mixed.example/' }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'refused_address' });
  for (const address of addresses) expect(String(error)).not.toContain(address);
});

test('a name without an address, and a resolver that fails or hangs, have codes', async () => {
  const none = egressTo([], { resolve: () => Promise.resolve([]) });
  await expect(none.request({ url: 'http://none.example/' })).rejects.toMatchObject({ code: 'dns' });
  const failing = egressTo([], {
    resolve: () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })),
  });
  await expect(failing.request({ url: 'http://failing.example/' })).rejects.toMatchObject({
    code: 'dns',
    message: expect.stringContaining('EGRESS_ALLOW') as string,
  });
  const offline = egressTo([], {
    resolve: () => Promise.reject(Object.assign(new Error('queryA ECONNREFUSED'), { code: 'ECONNREFUSED' })),
  });
  await expect(offline.request({ url: 'http://offline.example/' })).rejects.toMatchObject({ code: 'dns' });
  const hanging = egressTo([], { resolve: () => new Promise(() => undefined), connectTimeoutMs: 200 });
  await expect(hanging.request({ url: 'http://hanging.example/' })).rejects.toMatchObject({ code: 'timeout' });
});

test('connecting takes no longer than its limit, which undici counts in half seconds', async () => {
  const egress = egressTo([], { resolve: () => new Promise(() => undefined), connectTimeoutMs: 50 });
  const took: number[] = [];
  for (let at = 0; at < 3; at += 1) {
    const started = performance.now();
    await expect(egress.request({ url: `http://hanging-${at}.example/` })).rejects.toMatchObject({
      message: `Connecting to hanging-${at}.example:80 took too long.`,
    });
    took.push(performance.now() - started);
  }
  // The best of them, since a busy machine is late.
  expect(Math.min(...took)).toBeLessThan(400);
});

test('TLS is verified against the name in the URL and the configured authorities', async () => {
  const read = (name: string): string => readFileSync(join(import.meta.dirname, '../../fixtures/tls', name), 'utf8');
  const ca = read('certificate.pem');
  const server = createServer({ cert: ca, key: read('key.pem') }, (_request, response) => response.end('over TLS'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const at = { url: `http://127.0.0.1:${port}`, port, requests: [], connections: 0 };
  const resolve: Resolve = () => Promise.resolve(['127.0.0.1']);
  const trusting = egressTo([at], { resolve, ca });
  expect((await trusting.request({ url: `https://erp.example:${port}/` })).body.toString()).toBe('over TLS');
  await expect(trusting.request({ url: `https://other.example:${port}/` })).rejects.toMatchObject({ code: 'tls' });
  const strict = egressTo([at], { resolve });
  await expect(strict.request({ url: `https://erp.example:${port}/` })).rejects.toMatchObject({ code: 'tls' });
});

test('an endless series of failing hosts is forgotten', computesLong, async () => {
  const server = await serve((_request, response) => response.end('ok'));
  const egress = egressTo([server], { resolve: () => Promise.resolve(['10.0.0.1']) });
  const codes = new Set<unknown>();
  // The agent holds at most 4,096.
  for (let host = 0; host < 4_200; host += 1) {
    const failed: unknown = await egress
      .request({ url: `http://host-${host}.example/` })
      .catch((error: unknown) => error);
    codes.add((failed as { code: unknown }).code);
  }
  expect([...codes]).toEqual(['refused_address']);
  expect((await egress.request({ url: server.url })).body.toString()).toBe('ok');
});

test('without an injected resolver a name that cannot exist is a failure of DNS', async () => {
  const egress = egressTo([], { connectTimeoutMs: 1_000 });
  const request = egress.request({ url: 'http://no-such-host.invalid/' });
  await expect(request).rejects.toMatchObject({ code: expect.stringMatching(/^(dns|timeout)$/) as string });
});
