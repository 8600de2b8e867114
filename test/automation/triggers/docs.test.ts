import { readFile } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { call, callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { startTestEngine, untilRun } from '#test/setup/engine.ts';
import { makeWorkflow } from '#test/setup/runs.ts';
import { startOutboxRelay } from '#workers/relay/outbox-relay.ts';

/** The calls of a page with curl, and what it says is answered. */
async function readCalls(name: string) {
  const page = await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
  const calls = [...page.matchAll(/^```sh\n(curl[^]*?)^```\n\n```json (\d+)\n([^]*?)^```$/gm)];
  return calls.map(([, command = '', status, said = '']) => {
    const [, method = 'GET', path = ''] = /^curl (?:-X (\w+) )?"\$URL(\S+)"/.exec(command) ?? [];
    const [, body] = /-d '([^]*)'/.exec(command) ?? [];
    const isGraphql = path === '/graphql';
    return {
      method: isGraphql ? 'POST' : method,
      path,
      body,
      status: Number(status),
      said: JSON.parse(said) as object,
    };
  });
}

async function follow(api: TestApp, name: string, beforeLast: () => Promise<unknown>): Promise<void> {
  await registerBuiltinPackages(api.deps);
  // The first workflow of a database is the demo's.
  await makeWorkflow(api.deps, 'acme-shop', 'Demo');
  const calls = await readCalls(name);
  expect(calls.length).toBeGreaterThan(2);
  for (const [index, { method, path, body, status, said }] of calls.entries()) {
    if (index === calls.length - 1) await beforeLast();
    if (path === '/graphql') {
      const { query } = JSON.parse(body ?? '') as { query: string };
      expect(await api.graphql(query)).toMatchObject(said);
      continue;
    }
    const answer = await call(api, method, path, body === undefined ? {} : { body });
    expect([path, answer.status]).toEqual([path, status]);
    expect(answer.body).toMatchObject(said);
    if (path.endsWith('/workflows')) await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId: 2 });
  }
}

test('the calls of the page on schedules get the shown responses', async ({ ownApi: api }) => {
  await follow(api, 'schedules', async () => undefined);
});

test('the order on the page on events starts the shown run', async ({ ownApi: api }) => {
  const relay = await startOutboxRelay(api.deps, api.services.consumers);
  const engine = await startTestEngine(api);
  await api.graphql(
    'mutation { createProduct(input: { sku: "CHAIR-01", name: "A chair of the demo" }) { __typename } }',
  );
  const received = { sku: 'CHAIR-01', kind: 'receipt', quantity: '10', reference: 'delivery' };
  await callPlatform(api, 'POST', '/inventories/movements', { body: received });
  try {
    await follow(api, 'events', () => vi.waitFor(() => untilRun(api, 1), { timeout: 30_000, interval: 50 }));
  } finally {
    await engine.stop();
    await relay.stop();
  }
});
