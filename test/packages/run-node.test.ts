import { defineNode, type FileReference } from '@causeway/node-kit';
import { runNode } from '@causeway/node-kit/testing';
import { expect, test } from 'vitest';

test("a node's inputs and outputs are JSON, as in the sandbox", async () => {
  const node = defineNode({
    execute: ({ config }) => ({ outputs: { given: config, when: new Date(0), nothing: undefined } }),
  });
  const { outputs, branch } = await runNode(node, { config: { when: new Date(0) } });
  expect(outputs).toEqual({ given: { when: '1970-01-01T00:00:00.000Z' }, when: '1970-01-01T00:00:00.000Z' });
  expect(branch).toBe('default');
});

test('state counts versions and refuses a write over another version', async () => {
  const node = defineNode({
    async execute({ state, log }) {
      const read = await state.get('orders', 'cursor');
      await state.set('orders', 'cursor', 'b', { expectedVersion: read?.version ?? null });
      await state.set('orders', 'new', 1, { expectedVersion: null });
      await state.delete('orders', 'old');
      const refused = await state.set('orders', 'cursor', 'c', { expectedVersion: 1 }).catch((error: unknown) => error);
      log.warn('refused', (refused as { code: string }).code);
      return {};
    },
  });
  const run = await runNode(node, { config: {}, state: { orders: { cursor: 'a', old: true } } });
  expect(run.state).toEqual({ orders: { cursor: { value: 'b', version: 2 }, new: { value: 1, version: 1 } } });
  expect(run.logs).toEqual([{ level: 'warn', message: 'refused STATE_CONFLICT' }]);
});

test('requests are answered by the given http', async () => {
  const node = defineNode({
    execute: async ({ http, config }) => ({ outputs: { ...(await http.request({ url: String(config.url) })) } }),
  });
  const http = { request: async ({ url }: { url: string }) => ({ status: 204, headers: {}, body: url }) };
  const { outputs } = await runNode(node, { config: { url: 'https://erp.example.com/x' }, http });
  expect(outputs).toEqual({ status: 204, headers: {}, body: 'https://erp.example.com/x' });
});

test('files are given by id, and what the node makes is in the result', async () => {
  const node = defineNode<{ file: { file: string } }, { made: FileReference; code: string }>({
    async execute({ config, files }) {
      async function* upper() {
        for await (const part of files.parts(config.file)) yield new TextDecoder().decode(part).toUpperCase();
      }
      const made = await files.create({ name: 'upper.txt', type: 'text/plain' }, upper());
      const code = await files.text({ file: 'other' }).catch((error: unknown) => (error as { code: string }).code);
      return { outputs: { made, code } };
    },
  });
  const content = 'x'.repeat(300_000);
  const run = await runNode(node, { config: { file: { file: 'given' } }, files: { given: { content } } });
  expect(run.outputs).toMatchObject({ made: { name: 'upper.txt', size: 300_000 }, code: 'FILE_NOT_FOUND' });
  const made = run.files[run.outputs.made.file];
  expect(new TextDecoder().decode(made?.content)).toBe(content.toUpperCase());
});

test('a module without execute is reported', async () => {
  const misspelt = { exec: () => ({}) } as unknown as Parameters<typeof runNode>[0];
  await expect(runNode(misspelt, { config: {} })).rejects.toThrow('does not export a function "execute"');
});

test('a credential that was not given is named', async () => {
  const node = defineNode({
    execute: async ({ credentials }) => ({ outputs: { token: await credentials.get('erp', 'token') } }),
  });
  await expect(runNode(node, { config: {} })).rejects.toThrow(/no credential for the config field "erp"/);
});
