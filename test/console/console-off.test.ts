import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';

test('where the console is off, it has no page and no files, and clients of other makers still find the issuer', async ({
  api,
}) => {
  for (const url of ['/console', '/console/', '/console/t/acme-shop/runs', '/console/assets/main.js']) {
    const { statusCode } = await api.app.inject({ url, headers: { accept: 'text/html' } });
    expect([url, statusCode]).toEqual([url, 404]);
  }
  const { payload } = await api.app.inject({ url: '/console/config.json' });
  expect(JSON.parse(payload)).toMatchObject({ client_id: 'causeway-console', build: null });
});
