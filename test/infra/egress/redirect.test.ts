import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { nextHop } from '#src/infra/egress/redirect.ts';
import { firstHop } from '#src/infra/egress/request.ts';
import { parseTarget } from '#src/infra/egress/target.ts';
import { egressTo, serve } from './loopback-server.ts';

const secrets = { authorization: 'Bearer t', cookie: 'a=b', 'x-api-key': 'k', accept: 'text/plain' };

test('redirects are returned as responses by default', async () => {
  const server = await serve((_request, response) => response.writeHead(302, { location: '/next' }).end('moved'));
  const answer = await egressTo([server]).request({ url: server.url });
  expect(answer).toMatchObject({ status: 302, body: Buffer.from('moved') });
  expect(server.requests).toEqual(['GET /']);
});

test('redirects are followed up to their limit', async () => {
  const server = await serve((request, response) => {
    const step = Number(request.url?.slice(1));
    if (step === 3) response.end('there');
    else response.writeHead(302, { location: `${step + 1}` }).end();
  });
  const egress = egressTo([server]);
  expect(await egress.request({ url: `${server.url}/0`, redirects: 3 })).toMatchObject({
    status: 200,
    url: `${server.url}/3`,
  });
  await expect(egress.request({ url: `${server.url}/0`, redirects: 2 })).rejects.toMatchObject({
    code: 'too_many_redirects',
  });
});

test('a redirect to a private address, another protocol or with a user name is refused', async () => {
  const inner = await serve((_request, response) => response.end('secret'));
  const outer = await serve((request, response) => {
    response.writeHead(302, { location: decodeURIComponent(request.url?.slice(1) ?? '') }).end();
  });
  const egress = egressTo([outer]);
  for (const [location, code] of [
    [inner.url, 'refused_address'],
    ['http://169.254.169.254/', 'refused_address'],
    ['file:///etc/passwd', 'refused_protocol'],
    [`http://a:b@127.0.0.1:${outer.port}/`, 'invalid_request'],
    ['http://example.com:25/', 'refused_port'],
  ] as const) {
    const url = `${outer.url}/${encodeURIComponent(location)}`;
    await expect(egress.request({ url, redirects: 5 })).rejects.toMatchObject({ code });
  }
  expect(inner.connections).toBe(0);
});

test('credentials stay with their origin', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const other = await serve((request, response) => {
    seen.push(request.headers);
    response.end();
  });
  const server = await serve((request, response) => {
    seen.push(request.headers);
    response.writeHead(302, { location: request.url === '/' ? '/again' : other.url }).end();
  });
  await egressTo([server, other]).request({ url: server.url, headers: secrets, redirects: 5 });
  expect(seen).toHaveLength(3);
  expect(seen[1]).toMatchObject(secrets);
  expect(seen[2]).toMatchObject({ accept: 'text/plain' });
  for (const name of ['authorization', 'cookie', 'x-api-key']) expect(seen[2]).not.toHaveProperty(name);
});

test('307 repeats a body only to the same origin; 303 uses GET without it', async () => {
  const other = await serve((_request, response) => response.end());
  const server = await serve((request, response) => {
    const [status, location] =
      { '/same': [307, '/end'], '/other': [307, other.url], '/see': [303, '/end'] }[request.url ?? ''] ?? [];
    if (status && location) response.writeHead(Number(status), { location: String(location) }).end();
    else request.pipe(response);
  });
  const egress = egressTo([server, other]);
  const post = (path: string) =>
    egress.request({ method: 'POST', url: server.url + path, body: 'secret', redirects: 1 });
  expect((await post('/same')).body.toString()).toBe('secret');
  expect((await post('/see')).body.toString()).toBe('');
  await expect(post('/other')).rejects.toMatchObject({ code: 'refused_redirect' });
  expect(other.requests).toEqual([]);
  expect(server.requests).toEqual(['POST /same', 'POST /end', 'POST /see', 'GET /end', 'POST /other']);
});

test('https is never redirected to http', () => {
  const rules = { allow: new Set<string>(), protocols: ['http:', 'https:'], ports: undefined };
  const url = 'https://shop.example/';
  const hop = firstHop({ url }, parseTarget(rules, url), { userAgent: 'test', maxRequestBytes: 1 });
  expect(() => nextHop(hop, 302, parseTarget(rules, 'http://shop.example/'))).toThrow('from https to http');
});
