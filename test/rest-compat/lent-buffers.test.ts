import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendAnswer } from '#rest/answer.ts';
import { lendBuffer, takeBack } from '#rest/lent-buffers.ts';

const size = 1_500_000;
/** Answers at a time. */
const many = 12;
let server: FastifyInstance;
let port: number;
/** Ends an answer, behind which the others of its connection wait in the process: the kernel takes a whole answer of this size at once. */
const held = Promise.withResolvers<string>();
/** The memory that answers were written to. */
const used = new Set<ArrayBufferLike>();
const written: (number | undefined)[] = [];

beforeAll(async () => {
  server = Fastify();
  server.get('/:byte', async (request, reply) => {
    const content = lendBuffer(size).fill(Number((request.params as { byte: string }).byte));
    used.add(content.buffer);
    written.push(content[0]);
    return sendAnswer(reply, { status: 200, type: 'application/octet-stream', content });
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

describe('buffers that are lent to answers', () => {
  test('hold the answer of one request until it is sent, while others are cut off or read slowly', async () => {
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

  test('are used again', async () => {
    const before = used.size;
    for (let byte = 0; byte < 8; byte += 1) expect(isWhole(await buffer(await ask(byte)), byte)).toBe(true);
    expect(used.size - before).toBeLessThanOrEqual(1);
  });

  test('are never lent twice, and are new where an answer is small or very large', () => {
    const lent = lendBuffer(size);
    expect(lendBuffer(size).buffer).not.toBe(lent.buffer);
    takeBack(lent);
    takeBack(lent);
    expect(lendBuffer(size).buffer).toBe(lent.buffer);
    expect(lendBuffer(size).buffer).not.toBe(lent.buffer);
    for (const other of [10, 5_000_000]) {
      const once = lendBuffer(other);
      takeBack(once);
      expect(once).toHaveLength(other);
      expect(lendBuffer(size).buffer).not.toBe(once.buffer);
    }
  });
});
