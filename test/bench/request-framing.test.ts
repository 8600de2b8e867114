import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RequestFramer } from '#bench/lib/request-framing.ts';

const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\nX-Platform-Id: ${path}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** The first lines of the requests in the stream, fed in pieces through one reused buffer. */
function readInPieces(stream: Buffer, sizes: readonly number[]): string[] {
  const framer = new RequestFramer();
  const reused = Buffer.alloc(stream.length);
  const lines: string[] = [];
  let at = 0;
  for (let turn = 0; at < stream.length; turn += 1) {
    const size = Math.min(sizes[turn % sizes.length] ?? 1, stream.length - at);
    stream.copy(reused, 0, at, at + size);
    framer.push(reused.subarray(0, size), (head) => lines.push(head.slice(0, head.indexOf('\r'))));
    at += size;
  }
  return lines;
}

describe('the request framer', () => {
  test('finds the same requests however the stream is split', () => {
    const bodies = fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { minLength: 1, maxLength: 5 });
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(bodies, sizes, (texts, cuts) => {
        const stream = Buffer.from(texts.map((text, at) => post(`/${at}`, text)).join(''));
        expect(readInPieces(stream, cuts)).toEqual(texts.map((_, at) => `POST /${at} HTTP/1.1`));
      }),
    );
  });

  test('yields a request only once its body has arrived', () => {
    expect(readInPieces(Buffer.from(post('/a', 'body').slice(0, -1)), [300])).toEqual([]);
  });

  test.each(['GET / HTTP/1.1\r\nhost: a\r\n\r\n', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'])(
    'throws on what it cannot frame',
    (request) => {
      expect(() => readInPieces(Buffer.from(request), [300])).toThrow('Content-Length');
    },
  );
});
