import { describe, expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { connect, openSocket, socketUrl, subscribe } from '#test/setup/live.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';

const tenant = 'acme-shop';

describe('the admission of a socket', () => {
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

  test('requires our own or an allowed origin in a browser', async ({ startBeside }) => {
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

  test('is limited by address until a token is sent', async ({ startBeside }) => {
    const app = await startBeside({ socketsPerAddress: 2 });
    const identified = await connect(app);
    const [first, second] = [await connect(app, { bearer: 'nonsense' }), await openSocket(await socketUrl(app))];
    expect(await upgrade(app)).toBe('429');
    first.socket.close();
    await first.closed;
    await vi.waitFor(async () => expect(await upgrade(app)).toBe('open'), 10_000);
    for (const { socket } of [identified, second]) socket.close();
  });

  test('ends without a subscription', async ({ startBeside }) => {
    const app = await startBeside({ socketIdleMs: 5_000 });
    const used = await connect(app);
    const runId = await makeRun(app.deps, tenant, await makeWorkflow(app.deps, tenant, 'Watched'));
    subscribe(used, '1', 'subscription ($id: ID) { runUpdated(id: $id) { status } }', { id: runId });
    const anonymous = await openSocket(await socketUrl(app));
    anonymous.send({ type: 'connection_init' });
    expect(await anonymous.closed).toEqual({ code: 1000, reason: 'No subscription for a while' });
    expect(used.socket.readyState).toBe(WebSocket.OPEN);
    used.send({ id: '1', type: 'complete' });
    expect((await used.closed).code).toBe(1000);
  });

  test('is not extended by queries or refused subscriptions', async ({ startBeside }) => {
    const app = await startBeside({ socketIdleMs: 1_500 });
    const member = await connect(app);
    const anonymous = await openSocket(await socketUrl(app));
    anonymous.send({ type: 'connection_init' });
    await anonymous.until(([first]) => first?.type === 'connection_ack');
    let sent = 0;
    const sending = setInterval(() => {
      for (const client of [member, anonymous]) {
        if (client.socket.readyState !== WebSocket.OPEN) continue;
        subscribe(client, `${(sent += 1)}`, '{ __typename }');
        subscribe(client, `${(sent += 1)}`, 'subscription { runUpdated(id: "999") { status } }');
      }
    }, 100);
    expect([await member.closed, await anonymous.closed].map(({ code }) => code)).toEqual([1000, 1000]);
    clearInterval(sending);
  });
});
