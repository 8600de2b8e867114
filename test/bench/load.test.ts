import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { runLoad } from '#bench/lib/load.ts';

const open: (() => void)[] = [];

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  for (const close of open.splice(0)) close();
});

describe('the load generator', () => {
  test('counts exactly the requests the server answered, in turn', async () => {
    const seen: Record<string, number> = {};
    const port = await serve((request, response) => {
      seen[request.url ?? ''] = (seen[request.url ?? ''] ?? 0) + 1;
      request.resume().once('end', () => response.end('hello'));
    });
    const requests = [
      { method: 'GET', path: '/a' },
      { method: 'POST', path: '/b', body: '{"x":1}' },
    ] as const;
    const result = await runLoad({ port, requests, connections: 4, durationMs: 10_000, maxRequests: 500 });
    expect(result).toMatchObject({ requests: 500, errors: 0, sample: 'hello', bodyBytes: { min: 5, max: 5 } });
    expect(seen).toEqual({ '/a': 250, '/b': 250 });
    expect(result.latencyMs.count).toBe(500);
  });

  test('reports failures by kind and never counts them as responses', async () => {
    let turn = 0;
    const port = await serve((request, response) => {
      turn += 1;
      if (turn % 4 === 0) response.writeHead(503).end();
      else if (turn % 4 === 1) response.end('{"errors":[]}');
      else if (turn % 4 === 2) request.socket.destroy();
      else response.end('{"data":{}}');
    });
    const plan = { port, requests: [{ method: 'GET', path: '/' }] as const, connections: 1, durationMs: 10_000 };
    const result = await runLoad({ ...plan, maxRequests: 40, rejectBody: '"errors":' });
    expect(result.requests).toBe(10);
    expect(result.errorKinds).toEqual({ 'status 503': 10, 'rejected body': 10, connection: 10 });
  });

  test('gives up on a server that never answers', async () => {
    const port = await serve(() => undefined);
    const plan = { port, requests: [{ method: 'GET', path: '/' }] as const, connections: 2, durationMs: 200 };
    const result = await runLoad({ ...plan, timeoutMs: 300 });
    expect(result).toMatchObject({ requests: 0, errorKinds: { timeout: 2 } });
  });

  test('does not count the warm-up', async () => {
    let answered = 0;
    const port = await serve((_request, response) => {
      answered += 1;
      response.end('ok');
    });
    const plan = { port, requests: [{ method: 'GET', path: '/' }] as const, connections: 1 };
    const result = await runLoad({ ...plan, warmupMs: 1_000, durationMs: 30_000, maxRequests: 50 });
    expect(result.requests).toBe(50);
    expect(answered).toBeGreaterThan(50);
  });
});
