import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect } from 'vitest';
import { draftLimits } from '#src/automation/drafts/drafts.inputs.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node } from '#test/setup/engine.ts';
import { documents, draftFields } from './draft-documents.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

interface Answer {
  __typename: string;
  message: string;
  draft: { version: number; baseRevision: number; blob: unknown; pins: unknown };
  version: number;
  baseRevision: number;
  merged: object;
  fields: { path: string; messages: string[] }[];
}

async function run(name: keyof typeof documents, input: object): Promise<Answer> {
  const { data, errors } = await api.graphql<{ answer: Answer }>(documents[name], { input });
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.answer;
}

let count = 0;
async function makeWorkflow(blob: object = blobWith(a(1))): Promise<number> {
  const { data } = await api.graphql<{ createWorkflow: { workflow: { databaseId: number } } }>(
    'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { databaseId } } } }',
    { input: { name: `Edited ${(count += 1)}`, blob } },
  );
  return data.createWorkflow.workflow.databaseId;
}

const readDraft = async (id: number) =>
  (
    await api.graphql<{ workflow: { revision: number; blob: object; draft: Answer['draft'] | null } | null }>(
      `query ($id: ID!) { workflow(id: $id) { revision blob draft { ${draftFields} } } }`,
      { id },
    )
  ).data.workflow;

/** A node as the schema completes it. */
const whole = (id: string, n: number) => ({ ...node(id, 'set', { values: { n } }), on_error: 'fail' });
const a = (n: number) => whole('a', n);
const b = (n: number) => whole('b', n);
const blobWith = (...nodes: object[]) => ({ version: 'v1', nodes, edges: [] });

describe('a draft', () => {
  test('is saved beside the published revision, and read with the workflow', async () => {
    const workflowId = await makeWorkflow();
    expect((await readDraft(workflowId))?.draft).toBeNull();
    const saved = await run('save', {
      workflowId,
      version: 0,
      baseRevision: 1,
      blob: blobWith(a(2)),
      pins: { a: { n: 5 } },
    });
    const draft = {
      version: 1,
      baseRevision: 1,
      isBehind: false,
      savedBy: expect.stringContaining('admin'),
      blob: blobWith(a(2)),
      pins: { a: { n: 5 } },
    };
    expect(saved).toMatchObject({
      isMerged: false,
      workflow: { revision: 1 },
      draft: { ...draft, validation: { valid: true, errors: [] } },
    });
    expect(await readDraft(workflowId)).toEqual({ revision: 1, blob: blobWith(a(1)), draft });
  });

  test('keeps its pins where a save leaves them out', async () => {
    const workflowId = await makeWorkflow();
    await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(), pins: { 'each/a': [1] } });
    const { draft } = await run('save', { workflowId, version: 1, baseRevision: 1, blob: blobWith(a(2)) });
    expect(draft).toMatchObject({ version: 2, pins: { 'each/a': [1] } });
  });

  test('may be invalid: the save answers its problems, and publishing it is refused', async () => {
    const workflowId = await makeWorkflow();
    const blob = {
      ...blobWith({ ...a(1), version: '99.0.0' }, { id: 'unfinished' }),
      edges: [
        { from: { node: 'a' }, to: 'unfinished' },
        { from: { node: 'unfinished' }, to: 'a' },
      ],
    };
    const saved = await run('save', { workflowId, version: 0, baseRevision: 1, blob });
    expect(saved).toMatchObject({ draft: { version: 1, validation: { valid: false } } });
    expect(await run('publish', { workflowId, version: 1 })).toMatchObject({ __typename: 'ValidationError' });
    const correct = {
      ...blob,
      nodes: [{ ...a(1), version: '99.0.0' }, b(1)],
      edges: [
        { from: { node: 'a' }, to: 'b' },
        { from: { node: 'b' }, to: 'a' },
      ],
    };
    const { draft } = await run('save', { workflowId, version: 1, baseRevision: 1, blob: correct });
    expect(draft).toMatchObject({
      validation: {
        valid: false,
        errors: [
          { path: 'blob.nodes.0.version', messages: [expect.stringContaining('no version 99.0.0')] },
          { path: 'blob.edges', messages: [expect.stringContaining('cycle')] },
        ],
      },
    });
    const refused = await run('publish', { workflowId, version: 2 });
    expect(refused.fields.map(({ path }) => path)).toEqual(['blob.nodes.0.version', 'blob.edges']);
    expect(await readDraft(workflowId)).toMatchObject({ revision: 1, draft: { version: 2 } });
  });

  test('becomes the next revision, without its pins, and is gone then', async () => {
    const workflowId = await makeWorkflow();
    await run('save', {
      workflowId,
      version: 0,
      baseRevision: 1,
      blob: { ...blobWith(a(2)), pins: { a: 'secret' } },
      pins: { a: 'secret' },
    });
    expect(await run('publish', { workflowId, version: 1, note: 'Two' })).toEqual({
      __typename: 'PublishWorkflowPayload',
      workflow: { revision: 2, blob: blobWith(a(2)), bundle: { status: 'BUILDING' }, draft: null },
    });
    const { rows } = await api.database.system.query(
      `SELECT (SELECT to_jsonb(w)::text LIKE '%secret%' FROM workflows w WHERE id = $1) AS "inWorkflow",
        (SELECT count(*)::int FROM workflow_revisions WHERE workflow_id = $1) AS revisions,
        (SELECT revision_note FROM workflows WHERE id = $1) AS note`,
      [workflowId],
    );
    expect(rows[0]).toEqual({ inWorkflow: false, revisions: 1, note: 'Two' });
    expect(await run('publish', { workflowId, version: 1 })).toMatchObject({ __typename: 'ConflictError' });
    // The version goes on, so that a save which began with the first draft is never taken for one of the next.
    const next = await run('save', { workflowId, version: 0, baseRevision: 2, blob: blobWith(a(3)) });
    expect(next.draft.version).toBe(2);
    expect(await run('publish', { workflowId, version: 1 })).toMatchObject({ __typename: 'ConflictError' });
  });

  test('makes a revision even if it equals the published one', async () => {
    const workflowId = await makeWorkflow();
    await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(a(1)) });
    expect(await run('publish', { workflowId, version: 1 })).toMatchObject({ workflow: { revision: 2, draft: null } });
  });

  test('is deleted when it is discarded, at the version that is meant alone', async () => {
    const workflowId = await makeWorkflow();
    await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(a(2)) });
    await run('save', { workflowId, version: 1, baseRevision: 1, blob: blobWith(a(3)) });
    expect(await run('discard', { workflowId, version: 1 })).toMatchObject({ __typename: 'ConflictError' });
    expect(await run('discard', { workflowId, version: 2 })).toMatchObject({ workflow: { revision: 1, draft: null } });
    expect(await run('discard', { workflowId, version: 2 })).toMatchObject({
      __typename: 'ConflictError',
      message: 'The workflow has no draft.',
    });
  });
});

describe('a stale save', () => {
  test('changes nothing, and answers both versions, their base and the merge', async () => {
    const workflowId = await makeWorkflow(blobWith(a(1), b(1)));
    await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(a(2), b(1)) });
    await run('save', { workflowId, version: 1, baseRevision: 1, blob: blobWith(a(3), b(1)) });
    const conflict = await run('save', { workflowId, version: 1, baseRevision: 1, blob: blobWith(a(2), b(9)) });
    expect(conflict).toMatchObject({
      __typename: 'DraftConflict',
      code: 'CONFLICT',
      version: 2,
      baseRevision: 1,
      base: blobWith(a(2), b(1)),
      mine: blobWith(a(2), b(9)),
      theirs: blobWith(a(3), b(1)),
      merged: blobWith(a(3), b(9)),
      conflicts: [],
    });
    expect((await readDraft(workflowId))?.draft).toMatchObject({ version: 2, blob: blobWith(a(3), b(1)) });
    const { version, baseRevision, merged: blob } = conflict;
    expect(await run('save', { workflowId, version, baseRevision, blob })).toMatchObject({
      draft: { version: 3, blob },
    });
  });

  test('lists a node that both changed, with the three values', async () => {
    const workflowId = await makeWorkflow();
    await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(a(2)) });
    expect(await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(a(3)) })).toMatchObject({
      conflicts: [{ kind: 'NODE', path: 'a', base: a(1), mine: a(3), theirs: a(2) }],
      merged: blobWith(a(3)),
    });
  });

  test('is merged from the version that it began with after that was published, and from its revision when that is too old', async () => {
    const workflowId = await makeWorkflow(blobWith(a(1), b(1)));
    await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(a(2), b(1)) });
    await run('publish', { workflowId, version: 1 });
    const published = await run('save', { workflowId, version: 1, baseRevision: 1, blob: blobWith(a(4), b(1)) });
    expect(published).toMatchObject({
      version: 0,
      baseRevision: 2,
      base: blobWith(a(2), b(1)),
      merged: blobWith(a(4), b(1)),
      conflicts: [],
    });

    for (let version = 0, next = 2; next < 26; version = next++)
      await run('save', { workflowId, version, baseRevision: 2, blob: blobWith(a(2), b(next)) });
    const kept = await api.database.withTenant('acme-shop', (tx) =>
      tx.workflowDraftVersion.findMany({
        where: { workflowId },
        select: { version: true },
        orderBy: { version: 'asc' },
      }),
    );
    expect(kept).toHaveLength(20);
    expect(kept[0]).toEqual({ version: 5 });
    expect(await run('save', { workflowId, version: 3, baseRevision: 2, blob: blobWith(a(9), b(3)) })).toMatchObject({
      base: blobWith(a(2), b(1)),
      conflicts: [{ kind: 'NODE', path: 'b' }],
    });
  });
});

describe('a draft whose base is older than the workflow', () => {
  const publish = async (id: number, blob: object) =>
    expect(await run('update', { id, blob })).toMatchObject({ __typename: 'UpdateWorkflowPayload' });

  test('stays when updateWorkflow and PATCH publish, says so, and is merged at its next save', async () => {
    const workflowId = await makeWorkflow(blobWith(a(1), b(1)));
    await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(a(2), b(1)) });
    await publish(workflowId, blobWith(a(1), b(7)));
    const patched = await call(api, 'PATCH', `/api/v1/workflows/${workflowId}`, {
      body: { blob: blobWith(a(1), b(8)) },
    });
    expect(patched).toMatchObject({ status: 200, body: { revision: 3 } });
    expect(await readDraft(workflowId)).toMatchObject({
      revision: 3,
      draft: { version: 1, baseRevision: 1, isBehind: true, blob: blobWith(a(2), b(1)) },
    });
    expect(await run('publish', { workflowId, version: 1 })).toMatchObject({
      __typename: 'ConflictError',
      message: expect.stringContaining('Save the draft'),
    });
    expect(await run('save', { workflowId, version: 1, baseRevision: 1, blob: blobWith(a(3), b(1)) })).toMatchObject({
      isMerged: true,
      draft: { version: 2, baseRevision: 3, isBehind: false, blob: blobWith(a(3), b(8)) },
    });
    expect(await run('publish', { workflowId, version: 2 })).toMatchObject({
      workflow: { revision: 4, blob: blobWith(a(3), b(8)) },
    });
  });

  test('answers a conflict where it disagrees with the newer revision', async () => {
    const workflowId = await makeWorkflow();
    await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(a(2)) });
    await publish(workflowId, blobWith(a(3)));
    const conflict = await run('save', { workflowId, version: 1, baseRevision: 1, blob: blobWith(a(4)) });
    expect(conflict).toMatchObject({
      __typename: 'DraftConflict',
      version: 1,
      baseRevision: 2,
      base: blobWith(a(1)),
      theirs: blobWith(a(3)),
      conflicts: [{ kind: 'NODE', path: 'a', base: a(1), mine: a(4), theirs: a(3) }],
    });
    expect((await readDraft(workflowId))?.draft).toMatchObject({ version: 1, blob: blobWith(a(2)) });
    expect(await run('save', { workflowId, version: 1, baseRevision: 2, blob: blobWith(a(4)) })).toMatchObject({
      draft: { version: 2, baseRevision: 2 },
    });
  });

  test('is refused for a revision that does not exist yet', async () => {
    const workflowId = await makeWorkflow();
    expect(await run('save', { workflowId, version: 0, baseRevision: 2, blob: blobWith() })).toMatchObject({
      fields: [{ path: 'baseRevision', messages: ['The workflow is at revision 1.'] }],
    });
  });
});

describe('a draft that is too large or has no form', () => {
  const refusal = async (blob: unknown, pins?: object) => {
    const workflowId = await makeWorkflow();
    const answer = await run('save', { workflowId, version: 0, baseRevision: 1, blob, pins });
    expect((await readDraft(workflowId))?.draft).toBeNull();
    return answer.fields;
  };
  const nodes = (most: number) => Array.from({ length: most }, (_, index) => ({ id: `n${index}` }));

  test('of 600 nodes is saved with that as its problem, and of 10,000 refused', async () => {
    const workflowId = await makeWorkflow();
    const saved = await run('save', {
      workflowId,
      version: 0,
      baseRevision: 1,
      blob: blobWith(...nodes(600).map(({ id }) => whole(id, 1))),
    });
    expect(saved).toMatchObject({ draft: { validation: { valid: false, errors: [{ path: 'blob.nodes' }] } } });
    expect(await refusal(blobWith(...nodes(10_000)))).toMatchObject([{ path: 'blob.nodes' }]);
  });

  test.for([
    ['two nodes with one id', blobWith(a(1), a(2)), 'blob.nodes'],
    ['a node without an id', blobWith({ node: 'core:set' }), 'blob.nodes.0.id'],
    ['an edge from nowhere', { ...blobWith(a(1)), edges: [{ to: 'a' }] }, 'blob.edges.0.from'],
    ['another version', { version: 'v2' }, 'blob.version'],
    ['text', 'x', 'blob'],
    ['a NUL character', blobWith({ ...a(1), config: { x: '\0' } }), 'blob'],
  ] as const)('with %s is refused', async ([, blob, path]) => {
    expect((await refusal(blob))[0]?.path).toBe(path);
  });

  test('with too deep a config or pin is refused', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < draftLimits.depth; level += 1) deep = [deep];
    expect(await refusal(blobWith({ ...a(1), config: { deep } }))).toMatchObject([{ path: 'blob' }]);
    expect(await refusal(blobWith(), { a: [deep] })).toMatchObject([{ path: 'pins' }]);
    expect(await refusal(blobWith(), { a: 'x'.repeat(draftLimits.pinBytes) })).toMatchObject([{ path: 'pins' }]);
    expect(await refusal(blobWith(), { 'no path!': 1 })).toMatchObject([{ path: 'pins.no path!' }]);
  });

  test('of 5 MB is refused with PAYLOAD_TOO_LARGE before it is read', async () => {
    const input = {
      workflowId: 1,
      version: 0,
      baseRevision: 1,
      blob: blobWith({ ...a(1), config: { x: 'x'.repeat(5e6) } }),
    };
    const { errors } = await api.graphql(documents.save, { input });
    expect(errors).toMatchObject([{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }]);
  });
});

describe('when others write at the same time', () => {
  test('two saves and a deletion end with one save at most, and typed answers', async () => {
    for (let round = 0; round < 6; round += 1) {
      const workflowId = await makeWorkflow();
      const input = { workflowId, version: 0, baseRevision: 1 };
      const later = async (ms: number, work: () => Promise<Answer>) => delay(ms).then(work);
      const answers = await Promise.all([
        run('save', { ...input, blob: blobWith(a(2)) }),
        run('save', { ...input, blob: blobWith(a(3)) }),
        later(round * 4, () => run('delete', { id: workflowId })),
      ]);
      const [one, other, deleted] = answers.map(({ __typename: type }) => type);
      expect(deleted).toBe('DeleteWorkflowPayload');
      const refusals = [one, other].filter((type) => type !== 'SaveWorkflowDraftPayload');
      expect(refusals.length).toBeGreaterThan(0);
      for (const type of refusals) expect(['DraftConflict', 'NotFoundError']).toContain(type);
      expect(await readDraft(workflowId)).toBeNull();
      expect(await run('save', { ...input, blob: blobWith() })).toMatchObject({ __typename: 'NotFoundError' });
      expect(await run('publish', { workflowId, version: 1 })).toMatchObject({ __typename: 'NotFoundError' });
    }
  });

  test('ten publishes of a draft make one revision', async () => {
    const workflowId = await makeWorkflow();
    await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(a(2)) });
    const answers = await Promise.all(Array.from({ length: 10 }, () => run('publish', { workflowId, version: 1 })));
    expect(answers.filter(({ __typename: type }) => type === 'PublishWorkflowPayload')).toHaveLength(1);
    expect(await readDraft(workflowId)).toMatchObject({ revision: 2, draft: null });
  });

  test('a publish whose connection dies in the middle makes no revision and keeps the draft', async () => {
    const workflowId = await makeWorkflow();
    await run('save', { workflowId, version: 0, baseRevision: 1, blob: blobWith(a(2)) });
    const owner = new pg.Client({ connectionString: api.databaseUrl });
    await owner.connect();
    try {
      // By then, the transaction has deleted the draft.
      await owner.query('BEGIN; LOCK TABLE workflow_revisions IN EXCLUSIVE MODE');
      const publishing = api.graphql(documents.publish, { input: { workflowId, version: 1 } });
      let killed = 0;
      while (killed === 0) {
        await delay(20);
        const { rowCount } = await owner.query(
          `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND relation = 'workflow_revisions'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        killed = rowCount ?? 0;
      }
      await owner.query('ROLLBACK');
      expect((await publishing).errors).toHaveLength(1);
    } finally {
      await owner.end();
    }
    expect(await readDraft(workflowId)).toMatchObject({ revision: 1, blob: blobWith(a(1)), draft: { version: 1 } });
    expect(await run('publish', { workflowId, version: 1 })).toMatchObject({ workflow: { revision: 2, draft: null } });
  });
});
