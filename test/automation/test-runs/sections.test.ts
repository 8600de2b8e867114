import { describe, expect } from 'vitest';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

let api: TestApp;
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await startEngine();
});

interface Started {
  __typename: string;
  fields?: { path: string; messages: string[] }[];
  run?: { databaseId: number };
}

const start = async (input: object): Promise<Started> => {
  const { data, errors } = await api.graphql<{ answer: Started }>(
    `mutation ($input: StartRunInput!) { answer: startRun(input: $input) { __typename
      ... on StartRunPayload { run { databaseId } } ... on ValidationError { fields { path messages } } } }`,
    { input },
  );
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.answer;
};

/** The id of a run that has ended. */
async function run(input: object): Promise<number> {
  const answer = await start(input);
  expect(answer.run, JSON.stringify(answer)).toBeDefined();
  await untilRun(api, answer.run?.databaseId as number);
  return answer.run?.databaseId as number;
}

/** The origins of the steps by path, and the result of the run. */
async function outcome(
  id: number,
): Promise<{ origins: Record<string, string | null>; result: unknown; payload: unknown }> {
  const { data } = await api.graphql<{
    run: { result: unknown; payload: unknown; steps: { path: string; origin: string | null }[] };
  }>('query ($id: ID!) { run(id: $id) { result payload steps { path origin } } }', { id });
  const { steps, ...others } = data.run;
  return { ...others, origins: Object.fromEntries(steps.map(({ path, origin }) => [path, origin])) };
}

const set = (id: string, values: object) => node(id, 'set', { values });
/** a → b → c → d, where b adds to the payload. */
const line = (n = 1) => ({
  nodes: [
    set('a', { n: '{{ trigger.payload.n }}' }),
    set('b', { n: `{{ nodes.a.outputs.n + ${n} }}` }),
    set('c', { n: '{{ nodes.b.outputs.n }}' }),
    set('d', { n: '{{ nodes.c.outputs.n }}' }),
  ],
  edges: chain('a', 'b', 'c', 'd'),
});
const published = async (blob: object = line()) => {
  const { tenantId, workflowId } = await readyWorkflow(api.deps, blob as never, { type: 'manual' });
  await buildWorkflow(api.deps, { tenantId, workflowId });
  return workflowId;
};

const save = async (workflowId: number, blob: object, pins: object = {}) => {
  const { data } = await api.graphql<{ answer: { __typename: string } }>(
    'mutation ($input: SaveWorkflowDraftInput!) { answer: saveWorkflowDraft(input: $input) { __typename } }',
    { input: { workflowId, version: 0, baseRevision: 1, blob: { version: 'v1', ...blob }, pins } },
  );
  expect(data.answer.__typename).toBe('SaveWorkflowDraftPayload');
};

describe('a section of a workflow', () => {
  test('ends at `to`, whose outputs are the result', async () => {
    const id = await run({ workflowId: await published(), to: 'b', payload: { n: 1 } });
    expect(await outcome(id)).toMatchObject({ origins: { a: 'EXECUTED', b: 'EXECUTED' }, result: { b: { n: 2 } } });
    expect(Object.keys((await outcome(id)).origins)).toEqual(['a', 'b']);
  });

  test('begins at `from`, with the pinned outputs of the nodes before it', async () => {
    const pins = { a: { n: 5 }, b: { n: 6 } };
    const id = await run({ workflowId: await published(), from: 'c', pins });
    expect(await outcome(id)).toMatchObject({
      origins: { a: 'PINNED', b: 'PINNED', c: 'EXECUTED', d: 'EXECUTED' },
      result: { d: { n: 6 } },
    });
  });

  test('is one node with both', async () => {
    const workflowId = await published();
    const before = await run({ workflowId, pins: {}, payload: { n: 1 } });
    const id = await run({ workflowId, from: 'c', to: 'c', reuse: String(before) });
    expect(await outcome(id)).toEqual({
      origins: { a: 'REUSED', b: 'REUSED', c: 'EXECUTED' },
      result: { c: { n: 2 } },
      payload: { n: 1 },
    });
  });

  test('says what it executed, though the draft has changed since', async () => {
    const workflowId = await published();
    await save(workflowId, line(7), { a: { n: 5, $branch: 'default' } });
    const id = await run({ workflowId, draft: true, to: 'b' });
    await run({ workflowId, pins: {} });
    const { data } = await api.graphql<{ run: { blob: { nodes: { id: string }[] }; pins: unknown } }>(
      'query ($id: ID!) { run(id: $id) { blob pins } }',
      { id },
    );
    expect(data.run.pins).toEqual({ a: { n: 5 } });
    expect(data.run.blob.nodes.map(({ id: node }) => node)).toEqual(['a', 'b']);
    expect(JSON.stringify(data.run.blob)).toContain('outputs.n + 7');
  });

  test.for([
    ['a node that is not there', { to: 'gone' }, 'to', /has no node gone/],
    ['a section against the edges', { from: 'c', to: 'a' }, 'to', /No edge leads from c to a/],
    ['nodes before it without outputs', { from: 'c', pins: { a: {} } }, 'from', /no outputs.*: b\./],
  ] as const)('is refused for %s', async ([, input, path, message]) => {
    const answer = await start({ workflowId: await published(), ...input });
    expect(answer.fields).toEqual([{ path, messages: [expect.stringMatching(message)] }]);
  });

  test('is refused where the trigger, or the branch that is taken, does not lead to it', async () => {
    const workflowId = await published({
      nodes: [node('check', 'if', { condition: '{{ true }}' }), set('yes', {}), set('no', {}), set('apart', {})],
      edges: [
        { from: { node: 'check', branch: 'true' }, to: 'yes' },
        { from: { node: 'check', branch: 'false' }, to: 'no' },
      ],
    });
    const before = String(await run({ workflowId, pins: {} }));
    expect(await outcome(await run({ workflowId, from: 'yes', reuse: before }))).toMatchObject({
      origins: { check: 'REUSED', yes: 'EXECUTED' },
    });
    const { fields } = await start({ workflowId, from: 'no', reuse: before });
    expect(fields?.[0]?.messages).toEqual(['No branch that the nodes before no take leads to it.']);
    const pins = { check: { $branch: 'false' } };
    expect(await outcome(await run({ workflowId, from: 'no', reuse: before, pins }))).toMatchObject({
      origins: { check: 'PINNED', no: 'EXECUTED' },
    });
  });
});

describe('reused outputs', () => {
  test('are those of the nodes that have not changed, nor any before them', async () => {
    const workflowId = await published();
    const before = await run({ workflowId, pins: {}, payload: { n: 1 } });
    await save(workflowId, line(10));
    const id = await run({ workflowId, draft: true, reuse: String(before) });
    expect(await outcome(id)).toMatchObject({
      origins: { a: 'REUSED', b: 'EXECUTED', c: 'EXECUTED', d: 'EXECUTED' },
      result: { d: { n: 11 } },
    });
    // From the same test, nothing has changed.
    expect((await outcome(await run({ workflowId, draft: true, reuse: String(id) }))).origins).toEqual({
      a: 'REUSED',
      b: 'REUSED',
      c: 'REUSED',
      d: 'REUSED',
    });
  });

  test('are of a real run, too, and those of a node that failed are not taken', async () => {
    const failing = {
      ...line(),
      nodes: [...line().nodes.slice(0, 2), node('c', 'fail', { message: 'x' }), line().nodes[3]],
    };
    const workflowId = await published(failing);
    const before = await run({ workflowId, payload: { n: 1 } });
    await save(workflowId, line());
    const { origins } = await outcome(await run({ workflowId, draft: true, reuse: String(before) }));
    expect(origins).toEqual({ a: 'REUSED', b: 'REUSED', c: 'EXECUTED', d: 'EXECUTED' });
    expect(await start({ workflowId, draft: true, from: 'd', reuse: String(before) })).toMatchObject({
      fields: [{ path: 'from', messages: [expect.stringContaining(': c.')] }],
    });
  });

  test('stay where pins are the same, and are not taken after a pin that changed', async () => {
    const workflowId = await published();
    await save(workflowId, line(), { b: { n: 50 } });
    const before = String(await run({ workflowId, draft: true, payload: { n: 1 } }));
    expect((await outcome(await run({ workflowId, draft: true, from: 'd', reuse: before }))).origins).toEqual({
      a: 'REUSED',
      b: 'PINNED',
      c: 'REUSED',
      d: 'EXECUTED',
    });
    const changed = await run({ workflowId, draft: true, pins: { b: { n: 60 } }, reuse: before });
    expect(await outcome(changed)).toMatchObject({
      origins: { a: 'REUSED', b: 'PINNED', c: 'EXECUTED', d: 'EXECUTED' },
      result: { d: { n: 60 } },
    });
    const unpinned = await run({ workflowId, draft: true, pins: {}, reuse: before });
    expect(await outcome(unpinned)).toMatchObject({
      origins: { b: 'EXECUTED', c: 'EXECUTED' },
      result: { d: { n: 2 } },
    });
  });

  test('outlive their run', async () => {
    const workflowId = await published();
    const before = await run({ workflowId, pins: {}, payload: { n: 1 } });
    const id = await run({ workflowId, from: 'd', reuse: String(before) });
    for (const table of ['steps', 'test_run_outputs', 'test_runs'])
      await api.deps.database.system.query(`DELETE FROM ${table} WHERE run_id = $1`, [before]);
    await api.deps.database.system.query('DELETE FROM runs WHERE id = $1', [before]);
    expect(await outcome(await run({ workflowId, from: 'd', reuse: String(id) }))).toMatchObject({
      result: { d: { n: 2 } },
    });
  });

  test('are not found in another tenant’s run, another workflow’s, or none', async () => {
    const workflowId = await published();
    const foreign = await readyWorkflow(api.deps, line(), { tenantId: 'acme-outlet', type: 'manual' });
    const { data } = await api.graphql<{ answer: Started }>(
      'mutation ($input: StartRunInput!) { answer: startRun(input: $input) { __typename ... on StartRunPayload { run { databaseId } } } }',
      { input: { workflowId: foreign.workflowId, pins: {}, payload: { n: 1 } } },
      { tenant: 'acme-outlet' },
    );
    const theirs = data.answer.run?.databaseId as number;
    const other = await run({ workflowId: await published(), pins: {}, payload: { n: 1 } });
    const global = Buffer.from(`Run:${theirs}`).toString('base64');
    for (const reuse of [String(theirs), global, String(other), '0', '99999999999999999999', 'nonsense'])
      expect(await start({ workflowId, reuse }), reuse).toEqual({ __typename: 'NotFoundError' });
  });

  test('come with the payload and the trigger of their run', async () => {
    const workflowId = await published();
    const before = String(await run({ workflowId, pins: {}, payload: { n: 1 } }));
    const { fields } = await start({ workflowId, reuse: before, payload: { n: 2 } });
    expect(fields?.map(({ path }) => path)).toEqual(['payload']);
  });
});
