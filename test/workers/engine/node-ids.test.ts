import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

test('expressions read the outputs of nodes whose ids are names of built-in properties', async ({
  api,
  startEngine,
}) => {
  await startEngine();
  const ids = ['__proto__', 'constructor', 'toString'];
  const set = (id: string, index: number) =>
    node(id, 'set', { values: { n: index === 0 ? 1 : `{{ nodes.${ids[index - 1]}.outputs.n }}` } });
  const run = await fireRun(api, await readyWorkflow(api, { nodes: ids.map(set), edges: chain(...ids) }));
  const { steps } = await untilRun(api, run);
  expect(steps.map(({ outputs }) => outputs)).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
});
