import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openListener } from '#src/process/listener.ts';

test('a taken port is named, and the setting that chooses another', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0 });
  try {
    await expect(openListener({ host: '127.0.0.1', port: listener.port })).rejects.toThrow(
      `Port ${listener.port} of 127.0.0.1 is in use. Stop what listens there, or set PORT to another one (0 picks a free one).`,
    );
  } finally {
    await listener.drain(1_000);
  }
});

test('the props of a block fit into its address, however they are escaped', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0 });
  try {
    const address = (bytes: number) => `http://127.0.0.1:${listener.port}/theme/blocks/a?props=${'%C3'.repeat(bytes)}`;
    // 503: it has been read, and the application is not there yet.
    expect((await fetch(address(8 * 1024))).status).toBe(503);
    expect((await fetch(address(16 * 1024))).status).toBe(431);
  } finally {
    await listener.drain(1_000);
  }
});

test('an early request gets the error code in the application’s format', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0 });
  try {
    const readBody = async (path: string) => (await fetch(`http://127.0.0.1:${listener.port}${path}`)).json();
    const failure = { message: 'Starting.', code: 'UNAVAILABLE' };
    expect(await readBody('/v1/orders?limit=1')).toEqual(failure);
    const { message, code } = failure;
    for (const path of ['/graphql', '/graphql?query={me}'])
      expect(await readBody(path)).toEqual({ errors: [{ message, extensions: { code } }] });
    expect(await readBody('/readyz')).toEqual({ status: 'starting' });
    expect(await readBody('/healthz')).toEqual({ status: 'ok' });
  } finally {
    await listener.drain(1_000);
  }
});

test('a request in progress when draining begins is answered, and its connection closed', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0 });
  const arrived = Promise.withResolvers<ServerResponse>();
  listener.serverFactory((_request, response) => arrived.resolve(response));
  const answered = fetch(`http://127.0.0.1:${listener.port}/`);
  const response = await arrived.promise;
  const drained = listener.drain(10_000);
  response.writeHead(200, { 'content-type': 'text/plain' }).end('done');
  const answer = await answered;
  expect([answer.headers.get('connection'), await answer.text()]).toEqual(['close', 'done']);
  await drained;
});

test('a client that offers HTTP/2 is answered in HTTP/1.1, as if it had not', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0 });
  listener.serverFactory((asked, response) => void text(asked).then((body) => response.end(`heard ${body}`)));
  // For those who ask for a WebSocket.
  listener.server.on('upgrade', (_request, socket) => socket.end());
  try {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAEAAEAAAAIAAAAB' };
    const asked = request({ port: listener.port, method: 'POST', headers });
    asked.end('a call');
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([answer.statusCode, await text(answer)]).toEqual([200, 'heard a call']);
  } finally {
    await listener.drain(1_000);
  }
});

test('draining does not wait for connections that were opened ahead of any request', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0 });
  const socket = connect(listener.port, '127.0.0.1');
  await once(listener.server, 'connection');
  const began = performance.now();
  await listener.drain(30_000);
  expect(performance.now() - began).toBeLessThan(10_000);
  socket.destroy();
});
