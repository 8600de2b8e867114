import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { workflowsPage } from '#scripts/core-node-table.ts';
import { coreNodes } from '#src/automation/core-nodes/core-nodes.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { makeWorkflow } from '#test/setup/runs.ts';

const readPage = (name: string): Promise<string> =>
  readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
const webhooks = await readPage('webhooks');
const workflows = await readPage('workflows');
/** The JSON blocks of the page on workflows with this role, in order. */
const blocks = (role: string): unknown[] =>
  [...workflows.matchAll(/^```json (\S+)\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === role)
    .map(([, , text = '']) => JSON.parse(text) as unknown);

interface Example {
  node: string;
  config: Record<string, unknown>;
}

async function validate(api: TestApp, blob: unknown): Promise<unknown> {
  const query =
    'query ($blob: JSON!) { validateWorkflow(blob: $blob) { valid errors { path messages } warnings { path messages } } }';
  return (await api.graphql<{ validateWorkflow: unknown }>(query, { blob })).data.validateWorkflow;
}

const makeBlob = ({ node, config }: Example) => ({
  version: 'v1' as const,
  nodes: [{ id: 'it', node, version: '1.0.0', config }],
  edges: [],
  state: { namespaces: { orders: 'read_write' as const } },
});
const sound = { valid: true, errors: [], warnings: [] };

describe('the page on workflows', () => {
  test.beforeAll(({ api }) => registerBuiltinPackages(api.deps));

  test('has the table generated from the manifests (run npm run generate when this fails)', () => {
    expect(workflowsPage(workflows)).toBe(workflows);
  });

  test('shows a blob that runs as described', async ({ api, startEngine }) => {
    const [blob] = blocks('blob') as [Parameters<typeof readyWorkflow>[1]];
    const [payload] = blocks('payload');
    expect(await validate(api, blob)).toEqual(sound);
    await startEngine();
    const run = await untilRun(api, await fireRun(api, await readyWorkflow(api, blob), payload));
    expect(run).toMatchObject({ status: 'succeeded', result: blocks('result')[0] });
  });

  test('has a valid example of every core node', async ({ api }) => {
    // The examples name a credential and a workflow, which must be there.
    for (let id = 1; id <= 8; id += 1) {
      await makeWorkflow(api.deps, 'acme-shop', `Named by an example ${id}`);
      const input = `{ credentialTypeSlug: "core:bearer", name: "Named by an example ${id}", config: { token: "a-token" } }`;
      await api.graphql(`mutation { createCredential(input: ${input}) { __typename } }`);
    }
    const examples = [...blocks('nodes'), ...blocks('valid')].flat() as Example[];
    expect(examples.map(({ node }) => node).toSorted()).toEqual(coreNodes.map(({ slug }) => slug).toSorted());
    for (const example of examples) expect([example, await validate(api, makeBlob(example))]).toEqual([example, sound]);
  });

  test('shows code with the outputs that it has', async ({ api, startEngine }) => {
    const [, payload] = blocks('payload');
    const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(workflows) ?? [];
    await startEngine();
    const blob = makeBlob({ node: 'core:code', config: { code, values: { limit: '{{ 50 + 50 }}' } } });
    const run = await untilRun(api, await fireRun(api, await readyWorkflow(api, blob), payload));
    expect(run).toMatchObject({ status: 'succeeded', steps: [{ outputs: blocks('code')[0] }] });
  });

  test('has examples that run', async ({ api, startEngine }) => {
    const [, payload] = blocks('payload');
    await startEngine();
    for (const example of blocks('nodes').flat() as Example[]) {
      const run = await untilRun(api, await fireRun(api, await readyWorkflow(api, makeBlob(example)), payload));
      expect([example.node, run.status, run.error]).toEqual([example.node, 'succeeded', null]);
    }
  });
});

test('the page on webhooks shows the actual responses, and its mutation creates a trigger', async ({ ownApi: api }) => {
  await registerBuiltinPackages(api.deps);

  const engine = await startTestEngine(api);
  const examples = [...webhooks.matchAll(/^```http\n(\S+) (\S+)\s*([^`]*)^```\n\n^```json (\d+)\n([^`]*)^```$/gm)];
  expect(examples.length).toBe(7);
  let handle = '';
  try {
    for (const [, method = '', path = '', body = '', status, said = ''] of examples) {
      const answer = await call(api, method, path.replace('<handle>', handle), body === '' ? {} : { body });
      expect([path, answer.status]).toEqual([path, Number(status)]);
      expect(answer.body).toMatchObject(JSON.parse(said) as object);
      if (path.endsWith('/workflows')) await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId: 1 });
      if (path.endsWith('/triggers')) handle = answer.body['handle'] ?? '';
    }
    const [, mutation = ''] = /^```graphql\n([\s\S]*?)^```$/m.exec(webhooks) ?? [];
    const { data } = await api.graphql<{ createTrigger: { trigger: object } }>(mutation);
    expect(data.createTrigger.trigger).toMatchObject({ type: 'WEBHOOK', active: true });
  } finally {
    await engine.stop();
  }
});
