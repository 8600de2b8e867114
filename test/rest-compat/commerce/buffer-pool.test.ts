import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendAnswer } from '#rest/answer.ts';
import { acquireBuffer } from '#rest/commerce/buffer-pool.ts';

const size = 1_500_000;
/** Answers at a time. */
const many = 12;
let server: FastifyInstance;
let port: number;
/** Ends a response, behind which the others of its connection wait in the process: the kernel accepts a complete response of this size. */
const held = Promise.withResolvers<string>();
/** The memory that answers were written to. */
const used = new Set<ArrayBufferLike>();
const written: (number | undefined)[] = [];

beforeAll(async () => {
  server = Fastify();
  server.get('/:byte', async (request, reply) => {
    const { buffer: content, release } = acquireBuffer(size);
    content.fill(Number((request.params as { byte: string }).byte));
    used.add(content.buffer);
    written.push(content[0]);
    return sendAnswer(reply, { status: 200, type: 'application/octet-stream', content, release });
  });
  server.get('/held', async () => held.promise);
  await server.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = server.server.address() as AddressInfo);
});
afterAll(() => {
  held.resolve('');
  return server.close();
});

async function ask(byte: number): Promise<IncomingMessage> {
  const [response] = (await once(get({ port, path: `/${byte}`, agent: false }), 'response')) as [IncomingMessage];
  return response;
}

const isWhole = (bytes: Buffer, byte: number): boolean => bytes.equals(Buffer.alloc(size, byte));

describe('pooled buffers', () => {
  test('hold the response to one request until it is sent, while others are aborted or read slowly', async () => {
    const slow = await ask(255);
    slow.pause();
    const waiting = connect(port, '127.0.0.1');
    waiting.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\nGET /254 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await expect.poll(() => written).toContain(254);
    for (let round = 0; round < 3; round += 1) {
      const answers = Array.from({ length: many }, async (_, place) => {
        const byte = round * many + place;
        const response = await ask(byte);
        if (place % 4 === 0) return response.destroy() && true;
        return isWhole(await buffer(response), byte);
      });
      expect(await Promise.all(answers)).toEqual(Array(many).fill(true));
    }
    expect(isWhole(await buffer(slow), 255)).toBe(true);
    held.resolve('');
    expect(isWhole((await buffer(waiting)).subarray(-size), 254)).toBe(true);
  });

  test('are reused', async () => {
    const before = used.size;
    for (let byte = 0; byte < 8; byte += 1) expect(isWhole(await buffer(await ask(byte)), byte)).toBe(true);
    expect(used.size - before).toBeLessThanOrEqual(1);
  });

  test('are acquired by one response at a time, and are not pooled for a small or very large one', () => {
    const pooled = acquireBuffer(size);
    const memory = pooled.buffer.buffer;
    expect(acquireBuffer(size).buffer.buffer).not.toBe(memory);
    pooled.release();
    pooled.release();
    expect(acquireBuffer(size).buffer.buffer).toBe(memory);
    expect(acquireBuffer(size).buffer.buffer).not.toBe(memory);
    for (const other of [10, 5_000_000]) {
      const once = acquireBuffer(other);
      once.release();
      expect(once.buffer).toHaveLength(other);
      expect(acquireBuffer(size).buffer.buffer).not.toBe(once.buffer.buffer);
    }
  });
});
