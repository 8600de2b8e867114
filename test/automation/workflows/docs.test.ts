import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packNodePackage } from '@causeway/node-kit/pack';
import { parse, validate } from 'graphql';
import { afterAll, expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { startTestEngine, untilRun } from '#test/setup/engine.ts';
import { makeWorkflow } from '#test/setup/runs.ts';
import { schema } from '#test/setup/schema.ts';
import type { Engine } from '#workers/engine/engine.ts';

const page = await readFile(new URL('../../../docs/first-workflow.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language, role, text = '']) => ({
  language,
  role,
  text,
}));

let engine: Engine | undefined;
let scratch: string;
test.beforeAll(async ({ api }) => {
  await registerBuiltinPackages(api.deps);
  scratch = await mkdtemp(join(tmpdir(), 'causeway-docs-'));
  // The first workflow of a database is the demo's.
  await makeWorkflow(api.deps, 'acme-shop', 'Demo');
});
afterAll(async () => {
  await engine?.stop();
  await rm(scratch, { recursive: true });
});

test('the node of the page is what the CLI writes, and its requests get the shown responses', async ({ api }) => {
  const io = { out: () => undefined, err: () => undefined, env: {}, cwd: scratch };
  expect(await runCauseway(['node', 'init', 'my-nodes'], io)).toBe(0);
  await registerNodePackage(api.deps, { orgId: 'acme', archive: await packNodePackage(join(scratch, 'my-nodes')) });

  let told = 0;
  for (const [index, { language, text }] of blocks.entries()) {
    if (language !== 'http') continue;
    const [, method = '', path = '', body] = /^(\S+) (\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
    if (path.endsWith('/runs/1')) {
      engine = await startTestEngine(api);
      await untilRun(api, 1);
    }
    const answer = await call(api, method, path, body === '' ? {} : { body });
    const { role: status, text: said = '' } = blocks[index + 1] ?? {};
    expect([path, answer.status]).toEqual([path, Number(status)]);
    expect(answer.body).toMatchObject(JSON.parse(said) as object);
    if (path.endsWith('/workflows')) await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId: 2 });
    told += 1;
  }
  expect(told).toBe(5);
});

test('the subscription of the page fits the graph', () => {
  const documents = blocks.filter(({ language }) => language === 'graphql');
  expect(documents.length).toBe(1);
  for (const { text } of documents) expect(validate(schema, parse(text))).toEqual([]);
});
