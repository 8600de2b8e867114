import { expect } from 'vitest';
import { draftLimits } from '#src/automation/drafts/drafts.inputs.ts';
import { test } from '#test/setup/app-test.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';
import { documents } from './draft-documents.ts';

test('a draft is not merged beyond what its next save may contain', async ({ api }) => {
  const { workflowId } = await readyWorkflow(api.deps, { nodes: [] });
  const run = async (name: 'save' | 'update', input: object) =>
    (await api.graphql<{ answer: object }>(documents[name], { input })).data.answer;
  await run('update', {
    id: workflowId,
    blob: { version: 'v1', nodes: [node('added', 'set', { values: {} })], edges: [] },
  });
  const nodes = Array.from({ length: draftLimits.nodes }, (_, index) => ({ id: `n${index}` }));
  expect(await run('save', { workflowId, version: 0, baseRevision: 1, blob: { nodes } })).toMatchObject({
    __typename: 'ValidationError',
    fields: [{ path: 'blob', messages: [expect.stringContaining(`It has ${draftLimits.nodes + 1} nodes`)] }],
  });
});
