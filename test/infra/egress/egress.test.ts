import { expect, test } from 'vitest';
import { EgressError } from '#src/infra/egress/errors.ts';
import { egressTo, serve } from './loopback-server.ts';

const failure = async (promise: Promise<unknown>): Promise<EgressError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(EgressError);
  return error as EgressError;
};

test('a request sends method, headers, query and body, and returns status, headers and body', async () => {
  const server = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(201, { 'x-seen': [String(request.headers['x-one']), 'two'] });
      response.end(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`);
    });
  });
  const answer = await egressTo([server]).request({
    method: 'post',
    url: `${server.url}/orders?a=1#part`,
    query: { b: ['2', '3'], c: null, d: false },
    headers: { 'X-One': 'one', host: 'elsewhere.example', 'content-length': '999', connection: 'close' },
    body: new TextEncoder().encode('körper'),
  });
  expect(answer.status).toBe(201);
  expect(answer.body.toString()).toBe('POST /orders?a=1&b=2&b=3&d=false körper');
  expect(answer.headers['x-seen']).toEqual(['one', 'two']);
  expect(answer.url).toBe(`${server.url}/orders?a=1&b=2&b=3&d=false`);
});

test('an error status is a response', async () => {
  const server = await serve((_request, response) => response.writeHead(503).end('busy'));
  expect(await egressTo([server]).request({ url: server.url })).toMatchObject({
    status: 503,
    body: Buffer.from('busy'),
  });
});

test('HEAD and 204 have no body, whatever length and encoding they announce', async () => {
  const server = await serve((request, response) => {
    response.writeHead(request.method === 'HEAD' ? 200 : 204, {
      'content-encoding': 'gzip',
      'content-length': '50000000',
    });
    response.end();
  });
  const egress = egressTo([server]);
  expect((await egress.request({ method: 'HEAD', url: server.url })).body).toHaveLength(0);
  expect(await egress.request({ url: server.url })).toMatchObject({ status: 204, body: Buffer.alloc(0) });
});

test('connections are kept and shared', async () => {
  const server = await serve((_request, response) => response.end('ok'));
  const egress = egressTo([server]);
  for (let call = 0; call < 20; call += 1) await egress.request({ url: `${server.url}/${call}` });
  expect(server.requests).toHaveLength(20);
  // Two, because a connection is free only a moment after its response was read.
  expect(server.connections).toBeLessThanOrEqual(2);
});

test('no more connections to one host are open than configured', async () => {
  const server = await serve((_request, response) => void setTimeout(() => response.end('ok'), 5));
  const egress = egressTo([server], { connections: 3 });
  await Promise.all(Array.from({ length: 20 }, () => egress.request({ url: server.url })));
  expect(server.connections).toBe(3);
});

test.each([
  ['ftp://example.com/', 'refused_protocol'],
  ['file:///etc/passwd', 'refused_protocol'],
  ['data:text/plain,hello', 'refused_protocol'],
  ['http://user:secret@example.com/', 'invalid_request'],
  ['http://example.com@127.0.0.1/', 'invalid_request'],
  ['/relative', 'invalid_request'],
  ['http://', 'invalid_request'],
  [`http://example.com/${'a'.repeat(9000)}`, 'invalid_request'],
  ['http://example.com:25/', 'refused_port'],
  ['https://example.com:22/', 'refused_port'],
])('%s is refused before anything is sent', async (url, code) => {
  const error = await failure(egressTo([]).request({ url }));
  expect(error.code).toBe(code);
  expect(error.message).not.toContain('secret');
});

test('https alone and single ports can be demanded', async () => {
  const server = await serve((_request, response) => response.end());
  const strict = egressTo([], { protocols: ['https:'], ports: [8443] });
  expect(await failure(strict.request({ url: server.url }))).toMatchObject({ code: 'refused_protocol' });
  expect(await failure(strict.request({ url: 'https://example.com/' }))).toMatchObject({ code: 'refused_port' });
});

test.each(['CONNECT', 'TRACE', 'GET / HTTP/1.1\r\nx:', ''])('method %j is refused', async (method) => {
  expect(await failure(egressTo([]).request({ method, url: 'http://example.com' }))).toMatchObject({
    code: 'invalid_request',
  });
});

test('a header that would split the request is refused', async () => {
  const server = await serve((_request, response) => response.end());
  const headers = { 'x-note': 'a\r\nx-injected: 1' };
  expect(await failure(egressTo([server]).request({ url: server.url, headers }))).toMatchObject({
    code: 'invalid_request',
  });
  expect(server.requests).toEqual([]);
});

test('a response that never begins ends with a timeout', async () => {
  const server = await serve(() => undefined);
  const began = Date.now();
  const error = await failure(egressTo([server]).request({ url: server.url, timeoutMs: 100 }));
  expect(error).toMatchObject({
    code: 'timeout',
    message: `127.0.0.1:${server.port} did not answer in full within 100 ms.`,
  });
  expect(Date.now() - began).toBeLessThan(5_000);
});

test('headers and bodies that trickle forever end with a timeout', async () => {
  const server = await serve((request, response) => {
    let number = 0;
    if (request.url === '/body') response.writeHead(200);
    const trickle = setInterval(() => {
      number += 1;
      if (request.url === '/body') response.write('.');
      else request.socket.write(number === 1 ? 'HTTP/1.1 200 OK\r\n' : `x-${number}: 1\r\n`);
    }, 10);
    request.socket.on('close', () => clearInterval(trickle));
  });
  const egress = egressTo([server]);
  for (const path of ['/headers', '/body']) {
    const error = await failure(egress.request({ url: server.url + path, timeoutMs: 150 }));
    expect(error.code).toBe('timeout');
  }
});

test('response headers without end are refused', async () => {
  const server = await serve((request) => {
    request.socket.write('HTTP/1.1 200 OK\r\n');
    for (let number = 0; number < 50; number += 1) request.socket.write(`x-${number}: ${'a'.repeat(1000)}\r\n`);
  });
  expect(await failure(egressTo([server]).request({ url: server.url }))).toMatchObject({ code: 'too_large' });
});

test('an endless body stops at the cap and its connection is closed', async () => {
  let closed: Promise<unknown> = Promise.resolve();
  const server = await serve((request, response) => {
    closed = new Promise((resolve) => void request.socket.once('close', resolve));
    const pump = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) continue;
      response.once('drain', pump);
    };
    pump();
  });
  const error = await failure(egressTo([server]).request({ url: server.url, maxBytes: 100_000 }));
  expect(error).toMatchObject({ code: 'too_large', message: expect.stringContaining('100000 bytes') as string });
  await closed;
});

test('a request body over the cap is not sent', async () => {
  const server = await serve((_request, response) => response.end());
  const egress = egressTo([server], { maxRequestBytes: 10 });
  expect(await failure(egress.request({ method: 'POST', url: server.url, body: 'x'.repeat(11) }))).toMatchObject({
    code: 'too_large',
  });
  expect(server.requests).toEqual([]);
});

test('the caller can cancel, before and during', async () => {
  const server = await serve(() => undefined);
  const egress = egressTo([server]);
  expect(await failure(egress.request({ url: server.url, signal: AbortSignal.abort() }))).toMatchObject({
    code: 'aborted',
  });
  expect(server.requests).toEqual([]);
  const controller = new AbortController();
  const pending = failure(egress.request({ url: server.url, signal: controller.signal }));
  setTimeout(() => controller.abort(new Error('a reason that is not ours')), 50);
  expect(await pending).toMatchObject({ code: 'aborted' });
});

test('broken responses have codes, and their messages name only host and port', async () => {
  const server = await serve((request) => {
    if (request.url?.startsWith('/reset')) request.socket.destroy();
    else if (request.url?.startsWith('/short')) request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc');
    else request.socket.end('SSH-2.0-hello\r\n');
  });
  const egress = egressTo([server]);
  for (const [path, code] of [
    ['/reset', 'disconnected'],
    ['/short', 'disconnected'],
    ['/ssh', 'protocol'],
  ]) {
    const error = await failure(egress.request({ url: `${server.url}${path}?token=sesame` }));
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('sesame');
  }
  const tls = await failure(egress.request({ url: server.url.replace('http:', 'https:') }));
  expect(tls.code).toBe('tls');
});

test('a closed port is a failure to connect', async () => {
  const egress = egressTo([{ port: 1, url: 'http://127.0.0.1:1', requests: [], connections: 0 }]);
  expect(await failure(egress.request({ url: 'http://127.0.0.1:1/' }))).toMatchObject({ code: 'connect' });
});

test('after close nothing is sent, and a request in progress still ends', async () => {
  const server = await serve((_request, response) => void setTimeout(() => response.end('late'), 50));
  const egress = egressTo([server]);
  const pending = egress.request({ url: server.url });
  const closed = egress.close();
  expect((await pending).body.toString()).toBe('late');
  await closed;
  expect(await failure(egress.request({ url: server.url }))).toMatchObject({ code: 'closed' });
});

test('a request with a secret uses http only to hosts of the allow list, including redirects', async () => {
  const server = await serve((_request, response) =>
    response.writeHead(307, { location: 'http://elsewhere.example/token' }).end(),
  );
  const egress = egressTo([server]);
  expect((await egress.request({ url: server.url, secure: true })).status).toBe(307);
  const elsewhere = await failure(egress.request({ url: 'http://elsewhere.example/token', secure: true }));
  expect(elsewhere.code).toBe('refused_protocol');
  expect((await failure(egress.request({ url: server.url, secure: true, redirects: 1 }))).code).toBe(
    'refused_protocol',
  );
});
