import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { egressTo, serve } from './loopback-server.ts';

test('a download is streamed without decoding it, and follows no redirect', async () => {
  const server = await serve((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/' }).end();
    else response.writeHead(200, { 'x-asked': String(request.headers['accept-encoding']) }).end('the file');
  });
  const egress = egressTo([server]);
  const whole = await egress.download({ url: server.url, idleMs: 10_000 });
  expect([whole.status, whole.headers['x-asked'], await text(whole.body)]).toEqual([200, 'identity', 'the file']);
  const moved = await egress.download({ url: `${server.url}/moved`, idleMs: 10_000 });
  moved.body.destroy();
  expect(moved.status).toBe(302);
  expect(server.requests).toEqual(['GET /', 'GET /moved']);
});

test('a download ends when the server falls silent, before its response or during it', async () => {
  const server = await serve((request, response) => {
    if (request.url === '/half') response.writeHead(200, { 'content-length': '100' }).write('half');
  });
  const egress = egressTo([server]);
  await expect(egress.download({ url: server.url, idleMs: 100 })).rejects.toMatchObject({ code: 'timeout' });
  const half = await egress.download({ url: `${server.url}/half`, idleMs: 100 });
  await expect(text(half.body)).rejects.toMatchObject({ code: 'timeout' });
});

test('a download that is abandoned before it is read closes its connection', async () => {
  let closed = 0;
  const server = await serve((_request, response) => {
    response.on('close', () => (closed += 1));
    response.writeHead(200, { 'content-length': String(2 ** 30) }).write(Buffer.alloc(1_000_000));
  });
  const { body } = await egressTo([server]).download({ url: server.url, idleMs: 60_000 });
  body.destroy();
  await expect.poll(() => closed, { timeout: 10_000 }).toBe(1);
});

test('a download and a socket reach no private address that is not allowed', async () => {
  const egress = egressTo([], { resolve: async () => ['10.0.0.1'] });
  for (const url of ['http://127.0.0.1:2222', 'http://files.example.com'])
    await expect(egress.download({ url, idleMs: 1_000 })).rejects.toMatchObject({ code: 'refused_address' });
  await expect(egress.download({ url: 'http://files.example.com', secure: true, idleMs: 1_000 })).rejects.toMatchObject(
    {
      code: 'refused_protocol',
    },
  );
  await expect(egress.openSocket({ host: 'files.example.com', port: 22, usualPort: 22 })).rejects.toMatchObject({
    code: 'refused_address',
  });
});
