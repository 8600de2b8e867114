import { describe, expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { connect, ofOperation, openSocket, socketUrl, subscribe } from '#test/setup/live.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';

const tenant = 'acme-shop';

describe('who may hold a socket', () => {
  const shop = 'https://shop.example';

  /** The HTTP status of a refused upgrade, or 'open'. */
  async function upgrade(app: TestApp, origin?: string): Promise<string> {
    const url = await socketUrl(app);
    try {
      const { socket } = await openSocket(url, origin);
      socket.close();
      return 'open';
    } catch (error) {
      return /\d+$/.exec((error as Error).message)?.[0] ?? '';
    }
  }

  test('is, in a browser, a page of our own or of an allowed origin', async ({ startBeside }) => {
    const app = await startBeside({ allowsOrigin: (origin) => origin === shop });
    const host = new URL(await socketUrl(app)).host;
    const answers = ['https://evil.example', `${shop}.evil.example`, 'null', shop, `http://${host}`, undefined].map(
      async (origin) => [origin, await upgrade(app, origin)],
    );
    expect(await Promise.all(answers)).toEqual([
      ['https://evil.example', '403'],
      [`${shop}.evil.example`, '403'],
      ['null', '403'],
      [shop, 'open'],
      [`http://${host}`, 'open'],
      [undefined, 'open'],
    ]);
  });

  test('is bounded by address until a token is shown', async ({ startBeside }) => {
    const app = await startBeside({ socketsPerAddress: 2 });
    const [first, second] = [await connect(app), await connect(app)];
    expect(await upgrade(app)).toBe('429');
    subscribe(first, '1', '{ me { claims { sub } } }');
    await first.until((messages) => ofOperation(messages, '1').length > 0);
    const third = await connect(app);
    expect(await upgrade(app)).toBe('429');
    second.socket.close();
    await second.closed;
    await vi.waitFor(async () => expect(await upgrade(app)).toBe('open'));
    for (const { socket } of [first, third]) socket.close();
  });

  test('is whoever uses it: without an operation it is closed', async ({ startBeside }) => {
    const app = await startBeside({ socketIdleMs: 1_000 });
    const used = await connect(app);
    const runId = await makeRun(app.deps, tenant, await makeWorkflow(app.deps, tenant, 'Watched'));
    subscribe(used, '1', 'subscription ($id: ID) { runUpdated(id: $id) { status } }', { id: runId });
    const anonymous = await openSocket(await socketUrl(app));
    anonymous.send({ type: 'connection_init' });
    expect(await anonymous.closed).toEqual({ code: 1000, reason: 'No operation for a while' });
    expect(used.socket.readyState).toBe(WebSocket.OPEN);
    used.send({ id: '1', type: 'complete' });
    expect((await used.closed).code).toBe(1000);
  });
});
