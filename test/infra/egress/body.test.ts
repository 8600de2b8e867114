import { promisify } from 'node:util';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { measureCpuTime } from '#test/setup/cpu-time.ts';
import { egressTo, serve } from './loopback-server.ts';

const encoders = {
  gzip: (body: Buffer) => gzipSync(body),
  br: (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  deflate: (body: Buffer) => deflateSync(body),
  zstd: (body: Buffer) => zstdCompressSync(body),
};

test.each(Object.entries(encoders))('%s is decoded', async (encoding, encode) => {
  const text = Buffer.from('order 4711 '.repeat(500));
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(encode(text));
  });
  const answer = await egressTo([server]).request({ url: server.url });
  expect(answer.body.equals(text)).toBe(true);
  expect(answer.headers).not.toHaveProperty('content-encoding');
});

test('deflate without the header of zlib is decoded', async () => {
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateRawSync('raw'));
  });
  expect((await egressTo([server]).request({ url: server.url })).body.toString()).toBe('raw');
});

test.each(Object.entries(encoders))('a %s bomb stops at the cap', async (encoding, encode) => {
  const bomb = encode(Buffer.alloc(16 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(100_000);
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
  });
  const egress = egressTo([server]);
  await expect(egress.request({ url: server.url, maxBytes: 1_000_000 })).rejects.toMatchObject({ code: 'too_large' });
});

test('compressed bytes that decode to nothing are capped as they arrive', async () => {
  const empty = gzipSync('');
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const pump = (): void => {
      while (!response.destroyed && response.write(Buffer.concat(Array.from({ length: 1000 }, () => empty)))) continue;
      response.once('drain', pump);
    };
    pump();
  });
  const egress = egressTo([server]);
  await expect(egress.request({ url: server.url, maxBytes: 200_000 })).rejects.toMatchObject({ code: 'too_large' });
});

test.each([
  ['gzip', gzipSync('cut off in the middle of it').subarray(0, 20)],
  ['br', Buffer.from('not brotli')],
  ['gzip, gzip', gzipSync(gzipSync('twice'))],
  ['compress', Buffer.from('old')],
])('a body that is not valid %s fails as a protocol error', async (encoding, body) => {
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(body);
  });
  await expect(egressTo([server]).request({ url: server.url })).rejects.toMatchObject({ code: 'protocol' });
});

test('many concurrent bombs leave the process responsive', async () => {
  // Members of a megabyte, of which one is packed.
  const megabyte = encoders.gzip(Buffer.alloc(1024 * 1024));
  const bomb = Buffer.concat(Array.from({ length: 64 }, () => megabyte));
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  const egress = egressTo([server]);
  const calls = Promise.allSettled(
    Array.from({ length: 50 }, () => egress.request({ url: server.url, maxBytes: 500_000 })),
  );
  expect(await measureCpuTime(() => promisify(setTimeout)(1))).toBeLessThan(1_000);
  expect((await calls).every(({ status }) => status === 'rejected')).toBe(true);
});
