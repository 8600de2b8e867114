import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { openSubscribers } from '#bench/lib/ws-load.ts';

const schema = buildSchema('type Query { ok: Boolean } type Subscription { word: String }');

/** A real graphql-ws server; `publish` reaches all current subscribers, and each subscriber first gets the initial state. */
async function serve(): Promise<{ port: number; publish: (word: string) => void; close: () => void }> {
  const waiting = new Set<(word: string) => void>();
  async function* word(): AsyncGenerator<{ word: string }> {
    const queue: string[] = ['present'];
    let wake = (): void => undefined;
    const listen = (text: string): void => {
      queue.push(text);
      wake();
    };
    waiting.add(listen);
    try {
      for (;;) {
        for (let text = queue.shift(); text !== undefined; text = queue.shift()) yield { word: text };
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      waiting.delete(listen);
    }
  }
  const server = createServer();
  const sockets = new WebSocketServer({ server, path: '/graphql' });
  useServer({ schema, roots: { subscription: { word } } }, sockets);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    publish: (text) => waiting.forEach((listen) => listen(text)),
    close: () => {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    },
  };
}

describe('the subscribers of a bench', () => {
  test('count every message on every socket, short or long, after the initial state', async () => {
    const server = await serve();
    const plan = { port: server.port, path: '/graphql', sockets: 60, query: 'subscription { word }' };
    const subscribers = await openSubscribers(plan);
    // Each has its present state; then nothing more is on its way.
    expect(await subscribers.delivered(1, 60_000)).toMatchObject({ delivered: 60 });
    await subscribers.reset(1);
    for (const text of ['short', 'x'.repeat(1000), 'y'.repeat(70_000)]) server.publish(text);
    const seen = await subscribers.delivered(3, 60_000);
    expect(seen).toMatchObject({ delivered: 180, fewest: 3, most: 3, errors: 0 });
    expect(JSON.parse(seen.sample)).toMatchObject({ type: 'next', payload: { data: { word: 'short' } } });
    subscribers.stop();
    server.close();
  });

  test('report a refused subscription as errors, not as deliveries', async () => {
    const server = await serve();
    const plan = { port: server.port, path: '/graphql', sockets: 3, query: 'subscription { nothing }' };
    const subscribers = await openSubscribers(plan);
    await expect
      .poll(() => subscribers.delivered(1, 50), { timeout: 60_000 })
      .toMatchObject({ delivered: 0, errors: 3 });
    subscribers.stop();
    server.close();
  });
});
