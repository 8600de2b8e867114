import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { test } from '#test/setup/app-test.ts';
import { call } from './rest.ts';

const page = await readFile(new URL('../../docs/rest.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^```http\n(\S+) (\S+)\s*([^`]*)^```\n\n^```json (\d+)\n([^`]*)^```$/gm)];

test('the examples of the page get the shown responses, in order', async ({ api }) => {
  expect(examples.length).toBe(page.match(/^```http$/gm)?.length);
  for (const [, method = '', path = '', body = '', status, said = ''] of examples) {
    const answer = await call(api, method, path, body === '' ? {} : { body });
    expect([path, answer.status]).toEqual([path, Number(status)]);
    expect(answer.body).toMatchObject(JSON.parse(said) as object);
    if (answer.status === 201 && path.endsWith('/workflows')) {
      await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId: 1 });
    }
  }
});
