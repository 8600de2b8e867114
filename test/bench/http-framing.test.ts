import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ResponseFramer } from '#bench/lib/http-framing.ts';

const body = fc.string({ unit: 'grapheme', maxLength: 200 });

function withLength(text: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function chunked(text: string): string {
  const bytes = Buffer.from(text);
  const half = Math.floor(bytes.length / 2);
  const pieces = [bytes.subarray(0, half), bytes.subarray(half)].filter((piece) => piece.length > 0);
  const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece.toString('latin1')}\r\n`);
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  return Buffer.from(`${head}${chunks.join('')}0\r\n\r\n`, 'latin1').toString('latin1');
}

/** Feeds the stream in pieces through one reused buffer, as the load process does. */
function readInPieces(stream: Buffer, sizes: readonly number[]): string[] {
  const framer = new ResponseFramer();
  const reused = Buffer.alloc(stream.length);
  const bodies: string[] = [];
  let at = 0;
  for (let turn = 0; at < stream.length; turn += 1) {
    const size = Math.min(sizes[turn % sizes.length] ?? 1, stream.length - at);
    reused.fill(0);
    stream.copy(reused, 0, at, at + size);
    for (const response of framer.push(reused.subarray(0, size))) bodies.push(response.body.toString('utf8'));
    at += size;
  }
  return bodies;
}

describe('the response framer', () => {
  test('finds the same responses however the stream is split', () => {
    const responses = fc.array(fc.record({ text: body, inChunks: fc.boolean() }), { minLength: 1, maxLength: 5 });
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(responses, sizes, (wanted, cuts) => {
        const stream = wanted.map(({ text, inChunks }) =>
          inChunks ? Buffer.from(chunked(text), 'latin1') : Buffer.from(withLength(text)),
        );
        expect(readInPieces(Buffer.concat(stream), cuts)).toEqual(wanted.map(({ text }) => text));
      }),
    );
  });

  test('skips interim responses and knows which responses have no body', () => {
    const framer = new ResponseFramer();
    const stream = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n';
    expect(framer.push(Buffer.from(stream))).toMatchObject([{ status: 204, keepAlive: false }]);
  });

  test('refuses a response whose end it cannot determine', () => {
    expect(() => new ResponseFramer().push(Buffer.from('HTTP/1.1 200 OK\r\n\r\nhello'))).toThrow(
      'its end cannot be told',
    );
    expect(() => new ResponseFramer().push(Buffer.from('SSH-2.0-x\r\n\r\n'))).toThrow('HTTP/1.1');
  });
});
