import { describe, expect } from 'vitest';
import { deleteNode } from '#src/automation/nodes/nodes.service.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive, type TestNode } from '#test/automation/packages/package-archive.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node } from '#test/setup/engine.ts';

let api: TestApp;
let releases = 0;
async function register(...nodes: TestNode[]): Promise<void> {
  const version = `1.0.${(releases += 1)}`;
  const archive = packageArchive({ name: 'grade', version, namespace: 'grade', nodes });
  await registerNodePackage(api.deps, { orgId: 'acme', archive });
}

const field = (key: string) => ({ config: [{ key, type: 'string', required: true }] });
const renames = `export const execute = () => ({});
  export const migrate = ({ old, ...rest }, from) => ({ ...rest, ...(from[0] === '1' && { text: old }) });`;
const throws = 'export const execute = () => ({}); export const migrate = () => { throw new Error("No way."); };';

test.beforeAll(async ({ api: started }) => {
  api = started;
  const at = (version: string, key: string, code?: string) =>
    ['send', 'plain', 'bad'].map((name) => ({
      name,
      version,
      manifest: field(key),
      ...(code && name !== 'plain' && { code: name === 'bad' ? throws : code }),
    }));
  await register(...at('1.0.0', 'old'));
  await register(...at('2.0.0', 'text', renames));
  await register({ name: 'send', version: '3.0.0', manifest: field('text'), code: renames });
});

const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';
const upgrade = `mutation ($input: UpgradeNodesInput!) { answer: upgradeNodes(input: $input) { __typename
  ... on UpgradeNodesPayload { draft { version baseRevision blob pins validation { valid errors { path messages } } } isMerged remaining
    upgraded { path slug from to isMigrated issues { code field } } refused { path code message } }
  ... on DraftConflict { version baseRevision conflicts { path } } ${failure} } }`;
const save = `mutation ($input: SaveWorkflowDraftInput!) { answer: saveWorkflowDraft(input: $input) { __typename ${failure} } }`;
const create = `mutation ($input: CreateWorkflowInput!) { answer: createWorkflow(input: $input) { __typename
  ... on CreateWorkflowPayload { workflow { databaseId } } ${failure} } }`;

interface Answer {
  __typename: string;
  workflow: { databaseId: number };
  draft: { version: number; blob: { nodes: Record<string, unknown>[] } } | null;
  refused: object[];
  upgraded: object[];
}
async function run(document: string, input: object, as: object = {}): Promise<Answer> {
  const { data, errors } = await api.graphql<{ answer: Answer }>(document, { input }, as);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.answer;
}

let count = 0;
const makeWorkflow = async (...nodes: object[]): Promise<number> => {
  const input = { name: `Upgraded ${(count += 1)}`, blob: { version: 'v1', nodes } };
  return (await run(create, input)).workflow.databaseId;
};
const saveDraft = (workflowId: number, version: number, nodes: object[], more: object = {}) =>
  run(save, { workflowId, version, baseRevision: 1, blob: { version: 'v1', nodes }, ...more });

const readWorkflow = async (id: number) =>
  (
    await api.graphql<{ workflow: { revision: number; blob: object; draft: object | null } }>(
      'query ($id: ID!) { workflow(id: $id) { revision blob draft { version } } }',
      { id },
    )
  ).data.workflow;

const grade = (id: string, name: string, version: string, config: object, more: object = {}) => ({
  id,
  node: `grade:${name}`,
  version,
  config,
  ...more,
});
const old = { old: '{{ trigger.payload.x }}' };

describe('upgrading nodes', () => {
  test('writes every outdated node whose config is valid to the draft, and leaves the revision', async () => {
    const body = { nodes: [grade('b', 'send', '1.0.0', { old: 'b' }), node('c', 'set', { values: {} })], edges: [] };
    const workflowId = await makeWorkflow(
      grade('a', 'send', '^1.0.0', old, { position: { x: 1, y: 2 }, on_error: 'continue' }),
      grade('p', 'plain', '1.0.0', { old: 'p' }),
      grade('x', 'bad', '1.0.0', { old: 'x' }),
      node('each', 'for-each', { items: [1], body }),
    );
    const before = await readWorkflow(workflowId);
    const answer = await run(upgrade, { workflowId, version: 0 });
    expect(answer).toMatchObject({
      __typename: 'UpgradeNodesPayload',
      isMerged: false,
      remaining: 0,
      upgraded: [
        { path: 'a', slug: 'grade:send', from: '^1.0.0', to: '^3.0.0', isMigrated: true, issues: [] },
        { path: 'each/b', slug: 'grade:send', from: '1.0.0', to: '3.0.0', isMigrated: true, issues: [] },
      ],
      refused: [
        { path: 'p', code: 'INVALID', message: expect.stringContaining('"text" is required') },
        { path: 'x', code: 'MIGRATION_FAILED', message: 'No way.' },
      ],
      draft: { version: 1, baseRevision: 1, validation: { valid: true, errors: [] } },
    });
    expect(answer.draft?.blob.nodes).toMatchObject([
      {
        ...grade('a', 'send', '^3.0.0', { text: '{{ trigger.payload.x }}' }),
        position: { x: 1, y: 2 },
        on_error: 'continue',
      },
      grade('p', 'plain', '1.0.0', { old: 'p' }),
      grade('x', 'bad', '1.0.0', { old: 'x' }),
      {
        id: 'each',
        config: {
          items: [1],
          body: { nodes: [grade('b', 'send', '3.0.0', { text: 'b' }), node('c', 'set', { values: {} })] },
        },
      },
    ]);
    expect(await readWorkflow(workflowId)).toEqual({ ...before, draft: { version: 1 } });
  });

  test('takes named nodes to named versions, and leaves what is invalid to the user', async () => {
    const workflowId = await makeWorkflow();
    await saveDraft(
      workflowId,
      0,
      [
        grade('a', 'send', '1.0.0', old),
        grade('b', 'send', '1.0.0', old),
        grade('p', 'plain', '1.0.0', { old: 'p' }),
        { id: 'odd' },
      ],
      { pins: { a: 1 } },
    );
    const nodes = [{ path: 'a', version: '2.0.0' }, { path: 'p' }];
    const answer = await run(upgrade, { workflowId, version: 1, nodes });
    expect(answer).toMatchObject({
      upgraded: [
        { path: 'a', to: '2.0.0', isMigrated: true, issues: [] },
        { path: 'p', to: '2.0.0', isMigrated: false, issues: [{ code: 'REQUIRED', field: 'config.text' }] },
      ],
      refused: [],
      draft: { version: 2, pins: { a: 1 } },
    });
    expect(answer.draft?.blob.nodes).toMatchObject([
      { version: '2.0.0', config: { text: old.old } },
      { version: '1.0.0', config: old },
      { version: '2.0.0', config: { old: 'p' } },
      { id: 'odd' },
    ]);
  });

  test('refuses each node that cannot be upgraded, and saves nothing where there is no other', async () => {
    const workflowId = await makeWorkflow();
    await saveDraft(workflowId, 0, [
      grade('two', 'send', '2.0.0', { text: 't' }),
      grade('three', 'send', '3.0.0', { text: 't' }),
      grade('four', 'send', '4.0.0', { text: 't' }),
      grade('odd', 'send', 'newest', {}),
      { id: 'foreign', node: 'nobody:knows', version: '1.0.0' },
      { id: 'unfinished' },
    ]);
    const nodes = [
      { path: 'two', version: '1.0.0' },
      { path: 'three' },
      { path: 'four', version: '3.0.0' },
      { path: 'odd' },
      { path: 'foreign', version: '2.0.0' },
      { path: 'unfinished' },
      { path: 'each/none' },
    ];
    const answer = await run(upgrade, { workflowId, version: 1, nodes });
    const refused = (path: string, code: string) => ({ path, code, message: expect.any(String) });
    expect(answer).toMatchObject({ draft: null, upgraded: [] });
    expect(answer.refused).toEqual([
      refused('two', 'NOT_LATER'),
      refused('three', 'NOT_LATER'),
      refused('four', 'NOT_LATER'),
      refused('odd', 'UNKNOWN_VERSION'),
      refused('foreign', 'UNKNOWN_VERSION'),
      refused('unfinished', 'UNKNOWN_NODE'),
      refused('each/none', 'UNKNOWN_NODE'),
    ]);
    expect(await readWorkflow(workflowId)).toMatchObject({ draft: { version: 1 } });
  });

  test('takes a node whose version was deleted, with the version that the config was made for', async () => {
    await register({ name: 'gone', version: '1.0.0' });
    const code = `export const execute = () => ({}); export const migrate = (config, from) => ({ text: from });`;
    await register({ name: 'gone', version: '2.0.0', code, manifest: field('text') });
    const workflowId = await makeWorkflow(grade('a', 'gone', '1.0.0', {}));
    await deleteNode(api.deps, 'grade:gone', '1.0.0');
    const { draft } = await run(upgrade, { workflowId, version: 0 });
    expect(draft?.blob.nodes).toMatchObject([{ version: '2.0.0', config: { text: '1.0.0' } }]);
  });

  test('is compare-and-set: one of two at the same time is saved, and a stale one changes nothing', async () => {
    const workflowId = await makeWorkflow(grade('a', 'send', '1.0.0', old));
    const answers = await Promise.all([1, 2, 3].map(() => run(upgrade, { workflowId, version: 0 })));
    expect(answers.filter(({ __typename }) => __typename === 'UpgradeNodesPayload')).toHaveLength(1);
    for (const { __typename } of answers)
      expect(['UpgradeNodesPayload', 'DraftConflict', 'ConflictError']).toContain(__typename);
    expect(await run(upgrade, { workflowId, version: 0 })).toMatchObject({
      __typename: 'ConflictError',
      message: expect.stringContaining('at version 1'),
    });
    expect(await readWorkflow(workflowId)).toMatchObject({ draft: { version: 1 } });
  });

  test('merges a draft that is behind its workflow, or answers what they disagree on', async () => {
    const workflowId = await makeWorkflow(grade('a', 'send', '1.0.0', old));
    await saveDraft(workflowId, 0, [grade('a', 'send', '1.0.0', old), node('mine', 'set')]);
    const publish = (nodes: object[]) =>
      run(
        `mutation ($input: UpdateWorkflowInput!) { answer: updateWorkflow(input: $input) { __typename ${failure} } }`,
        { id: workflowId, blob: { version: 'v1', nodes } },
      );
    await publish([grade('a', 'send', '1.0.0', old), node('theirs', 'set')]);
    const merged = await run(upgrade, { workflowId, version: 1 });
    expect(merged).toMatchObject({ isMerged: true, draft: { version: 2, baseRevision: 2 } });
    expect(merged.draft?.blob.nodes.map(({ id }) => id).toSorted()).toEqual(['a', 'mine', 'theirs']);
    await saveDraft(workflowId, 2, [grade('a', 'send', '1.0.0', old)], { baseRevision: 2 });
    await publish([grade('a', 'send', '1.0.0', { old: 'other' })]);
    expect(await run(upgrade, { workflowId, version: 3 })).toMatchObject({
      __typename: 'DraftConflict',
      baseRevision: 3,
      conflicts: [{ path: 'a' }],
    });
  });

  test('looks at 500 nodes of a draft at a time', async () => {
    const workflowId = await makeWorkflow();
    const nodes = Array.from({ length: 600 }, (_node, index) => grade(`n${index}`, 'send', '1.0.0', { old: 'o' }));
    await saveDraft(workflowId, 0, nodes);
    const first = await run(upgrade, { workflowId, version: 1 });
    expect(first).toMatchObject({ remaining: 100, refused: [], draft: { version: 2 } });
    expect(first.upgraded).toHaveLength(500);
    const second = await run(upgrade, { workflowId, version: 2 });
    expect(second).toMatchObject({ remaining: 0, draft: { version: 3 } });
    expect(second.upgraded).toHaveLength(100);
    expect(await run(upgrade, { workflowId, version: 3 })).toMatchObject({ draft: null, upgraded: [], refused: [] });
  });

  test('needs an admin, a workflow of the tenant, and nodes named once', async () => {
    const workflowId = await makeWorkflow(grade('a', 'send', '1.0.0', old));
    const asUser = await api.graphql(upgrade, { input: { workflowId, version: 0 } }, { roles: ['user'] });
    expect(asUser.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' });
    expect(await run(upgrade, { workflowId, version: 0 }, { tenant: 'acme-outlet' })).toMatchObject({
      __typename: 'NotFoundError',
    });
    expect(await run(upgrade, { workflowId: 99_999_999, version: 0 })).toMatchObject({ __typename: 'NotFoundError' });
    for (const nodes of [
      [],
      [{ path: 'a' }, { path: 'a' }],
      Array.from({ length: 501 }, (_one, at) => ({ path: `${at}` })),
    ])
      expect(await run(upgrade, { workflowId, version: 0, nodes })).toMatchObject({ __typename: 'ValidationError' });
    expect(await run(upgrade, { workflowId, version: -1 })).toMatchObject({ __typename: 'ValidationError' });
  });
});
