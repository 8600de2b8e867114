import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { openRunFiles } from '#src/automation/files/run-files.service.ts';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { sweepRetention } from '#src/automation/retention/retention-sweep.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';

const pdf = randomBytes(5_000);

const post = async (api: TestApp, handle: string) =>
  api.app.inject({
    method: 'POST',
    url: `/api/v1/webhooks/${handle}`,
    headers: {
      authorization: `Bearer ${await api.token()}`,
      'x-tenant-id': 'acme-shop',
      'content-type': 'application/pdf',
    },
    payload: pdf,
  });

const listFiles = async (api: TestApp) =>
  (await api.database.system.query<{ run_id: number }>('SELECT run_id FROM run_files')).rows;

test('the binary body of a webhook is a file of the run that it starts', async ({ api }) => {
  const { handle } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  const fired = await post(api, handle);
  const { run_id: runId } = fired.json<{ run_id: number }>();
  expect(fired.statusCode).toBe(202);
  const [row] = await api.database.tenantQuery<{ body: FileReference }>('acme-shop', {
    text: `SELECT payload->'body' AS body FROM run_payloads WHERE tenant_id = $1 AND run_id = $2`,
    values: ['acme-shop', runId],
  });
  const body = row?.body as FileReference;
  expect(body).toMatchObject({ name: 'body', type: 'application/pdf', size: 5_000 });
  expect(await listFiles(api)).toEqual([{ run_id: runId }]);
  const files = openRunFiles(api.deps, { tenantId: 'acme-shop', runId }, (name) => name);
  expect((await buffer(await (await files.open(body)).stream())).equals(pdf)).toBe(true);
});

test('a webhook without a trigger leaves no file', async ({ api }) => {
  const before = await listFiles(api);
  expect((await post(api, '00000000-0000-4000-8000-000000000000')).statusCode).toBe(404);
  await sweepRetention(api.deps, { pauseMs: 0 });
  expect(await listFiles(api)).toEqual(before);
});
