import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { egressTo, serve } from './loopback-server.ts';

const content = Buffer.alloc(300_000, 'goods ');
const streamed = () => ({
  bytes: content.length,
  open: async () => Readable.from([content.subarray(0, 7), content.subarray(7)]),
});

test('a streamed body is sent with its length, and again after a redirect that repeats the request', async () => {
  const got: unknown[] = [];
  const server = await serve((request, response) => {
    if (request.url === '/moved') return response.writeHead(307, { location: '/' }).end();
    return void buffer(request).then((body) => {
      got.push([request.headers['content-length'], body.equals(content)]);
      response.end('thanks');
    });
  });
  const answer = await egressTo([server]).request({
    method: 'PUT',
    url: `${server.url}/moved`,
    redirects: 1,
    body: streamed(),
  });
  expect([answer.body.toString(), got]).toEqual(['thanks', [['300000', true]]]);
});

test('a body that is shorter than it says, or cannot be opened, fails the request with its own fault', async () => {
  const server = await serve(
    (request, response) =>
      void buffer(request).then(
        () => response.end(),
        () => undefined,
      ),
  );
  const egress = egressTo([server]);
  const send = (body: object) => egress.request({ method: 'PUT', url: server.url, body: { ...streamed(), ...body } });
  await expect(send({ bytes: content.length + 1 })).rejects.toMatchObject({ name: 'EgressError' });
  await expect(send({ open: () => Promise.reject(new Error('gone')) })).rejects.toThrow('gone');
  const failing = async () =>
    Readable.from(
      (async function* () {
        yield content;
        throw new Error('damaged');
      })(),
    );
  await expect(send({ bytes: content.length * 2, open: failing })).rejects.toThrow('damaged');
});

const encodings: [string, Buffer][] = [
  ['identity', content],
  ['gzip', gzipSync(content)],
  ['br', brotliCompressSync(content)],
];

test.each(encodings)(
  'an answer that is received as a stream has an empty body; its encoding %s is undone',
  async (encoding, sent) => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(sent),
    );
    let got: Buffer | undefined;
    const answer = await egressTo([server]).request({
      url: server.url,
      maxBytes: 10,
      receive: (head) => {
        expect(head).toMatchObject({ status: 200, url: `${server.url}/` });
        return async (body) => void (got = await buffer(body));
      },
    });
    expect([answer.body.length, got?.equals(content)]).toEqual([0, true]);
  },
);

test('an answer that is not wanted as a stream is collected within its bounds', async () => {
  const server = await serve((_request, response) => response.writeHead(404).end('no'));
  const asked = { url: server.url, receive: () => undefined };
  await expect(egressTo([server]).request(asked)).resolves.toMatchObject({ body: Buffer.from('no') });
  await expect(egressTo([server]).request({ ...asked, maxBytes: 1 })).rejects.toMatchObject({ code: 'too_large' });
});

test('a sender that goes away, and one that sends forever, end the request', async () => {
  const server = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '1000000' }).write('half');
    if (request.url === '/away') setImmediate(() => response.destroy());
  });
  const egress = egressTo([server]);
  const read = (path: string, timeoutMs: number) =>
    egress.request({ url: server.url + path, timeoutMs, receive: () => async (body) => void (await buffer(body)) });
  await expect(read('/away', 60_000)).rejects.toMatchObject({ code: 'disconnected' });
  await expect(read('/forever', 200)).rejects.toMatchObject({ code: 'timeout' });
});

test('a reader that has enough fails the request with its own error and closes the connection', async () => {
  let closed = 0;
  const server = await serve((_request, response) => {
    response.on('close', () => (closed += 1));
    response.writeHead(200).write(content);
  });
  const receive = () => async (body: Readable) => {
    for await (const chunk of body) if (chunk) throw new Error('enough');
  };
  await expect(egressTo([server]).request({ url: server.url, receive })).rejects.toThrow('enough');
  await expect.poll(() => closed, { timeout: 10_000 }).toBe(1);
});

test('a slow reader slows the sender down', async () => {
  const total = 64 * 2 ** 20;
  let sent = 0;
  const server = await serve((_request, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (sent < total) {
        sent += 65_536;
        if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  let atFirst = 0;
  let read = 0;
  await egressTo([server]).request({
    url: server.url,
    timeoutMs: 60_000,
    receive: () => async (body) => {
      for await (const chunk of body) {
        if (read === 0) {
          // Nothing is read until the sender no longer gets further.
          for (let before = -1; before !== sent;) {
            before = sent;
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
          atFirst = sent;
        }
        read += (chunk as Buffer).length;
      }
    },
  });
  expect(read).toBe(total);
  expect(atFirst).toBeLessThan(total / 2);
});
