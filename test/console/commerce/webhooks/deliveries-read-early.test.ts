import { expect } from 'vitest';
import { createHooks } from '#test/commerce/webhooks/hooks.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, test } from '#test/setup/console-test.ts';

test.skipIf(browserIsMissing)(
  `the list of deliveries shows what was made after its first read and before it is followed${skippedSuffix}`,
  { timeout: 240_000 },
  async ({ served, context }) => {
    const { id } = await createHooks(served.api).create({
      url: 'https://erp.example.com/hooks',
      topics: ['never.mind'],
    });
    const ping = () => callPlatform(served.api, 'POST', `/webhooks/destinations/${id}/ping`);
    await ping();
    // No subscription reaches the server before it is let go.
    const released = Promise.withResolvers<void>();
    await context.routeWebSocket(/graphql/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage(async (message) => {
        if (String(message).includes('"subscribe"')) await released.promise;
        server.send(message);
      });
    });
    const page = await openSignedIn(context, `${served.url}t/acme-shop/deliveries`);
    const rows = page.getByRole('grid').getByRole('row').filter({ hasText: 'webhook.ping' });
    await rows.first().waitFor();
    await ping();
    expect(await rows.count()).toBe(1);
    released.resolve();
    await rows
      .nth(1)
      .or(page.getByRole('button', { name: /1 new/ }))
      .first()
      .waitFor();
  },
);
