import { describe, expect } from 'vitest';
import { sweepRetention } from '#src/automation/retention/retention-sweep.service.ts';
import { foldRollupChanges } from '#src/automation/runs/rollups/run-rollups.store.ts';
import { openState } from '#src/automation/state/state-store.service.ts';
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
  message?: string;
  fields?: { path: string; messages: string[] }[];
  run?: { databaseId: number; isTest: boolean; revision: number; triggerType: string; status: string };
}

const startDocument = `mutation ($input: StartRunInput!) { answer: startRun(input: $input) { __typename
  ... on StartRunPayload { run { databaseId isTest revision triggerType status } }
  ... on Error { message } ... on ValidationError { fields { path messages } } } }`;

async function start(input: object): Promise<Started> {
  const { data, errors } = await api.graphql<{ answer: Started }>(startDocument, { input });
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.answer;
}

const startedId = async (input: object): Promise<number> => {
  const answer = await start(input);
  expect(answer.run, JSON.stringify(answer)).toBeDefined();
  return answer.run?.databaseId as number;
};

const save = async (workflowId: number, blob: object, pins: object = {}, version = 0) => {
  const { data } = await api.graphql<{ answer: { __typename: string; message?: string } }>(
    `mutation ($input: SaveWorkflowDraftInput!) { answer: saveWorkflowDraft(input: $input) { __typename ... on Error { message } } }`,
    { input: { workflowId, version, baseRevision: 1, blob: { version: 'v1', edges: [], ...blob }, pins } },
  );
  expect(data.answer).toEqual({ __typename: 'SaveWorkflowDraftPayload' });
};

interface Read {
  status: string;
  result: unknown;
  error: string | null;
  steps: { path: string; origin: string | null; status: string; branch: string | null; outputs: unknown }[];
}
const readRun = async (id: number): Promise<Read> =>
  (
    await api.graphql<{ run: Read }>(
      'query ($id: ID!) { run(id: $id) { status result error steps { path origin status branch outputs } } }',
      { id },
    )
  ).data.run;

async function ended(id: number): Promise<Read> {
  await untilRun(api, id);
  return readRun(id);
}

const count = async (text: string, ...values: unknown[]): Promise<number> =>
  (await api.deps.database.system.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${text}`, values))
    .rows[0]?.count as number;

const set = (id: string, values: object) => node(id, 'set', { values });
const published = (blob: object = { nodes: [set('a', { from: 'published' })] }) =>
  readyWorkflow(api.deps, blob as never, { type: 'manual' });

describe('a test run of a draft', () => {
  test('executes the draft, and leaves the published revision as it is', async () => {
    const { workflowId, handle } = await published();
    await save(workflowId, {
      nodes: [set('a', { from: 'draft' }), set('b', { n: '{{ nodes.a.outputs.from }}' })],
      edges: chain('a', 'b'),
    });
    const answer = await start({ workflowId, draft: true, payload: { n: 1 } });
    expect(answer.run).toMatchObject({ isTest: true, revision: 1, triggerType: 'MANUAL', status: 'QUEUED' });
    const run = await ended(answer.run?.databaseId as number);
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      steps: [
        { path: 'a', origin: 'EXECUTED', outputs: { from: 'draft' } },
        { path: 'b', origin: 'EXECUTED' },
      ],
    });
    const real = await startedId({ workflowId, triggerHandle: handle });
    expect(await ended(real)).toMatchObject({ steps: [{ outputs: { from: 'published' } }] });
    expect(await count('workflow_revisions WHERE workflow_id = $1', workflowId)).toBe(0);
  });

  test('takes the outputs of pinned nodes, also in loops, and the branch that a pin names', async () => {
    const { workflowId } = await published();
    const body = { nodes: [node('send', 'fail', { message: 'not pinned' })], edges: [] };
    await save(
      workflowId,
      {
        nodes: [
          node('check', 'if', { condition: '{{ false }}' }),
          node('each', 'for-each', { items: [1, 2], body }),
          set('other', {}),
        ],
        edges: [
          { from: { node: 'check', branch: 'true' }, to: 'each' },
          { from: { node: 'check', branch: 'false' }, to: 'other' },
        ],
      },
      { check: { $branch: 'true' }, 'each/send': { sent: true }, gone: 5 },
    );
    const run = await ended(await startedId({ workflowId, draft: true }));
    expect(run.steps.toSorted((x, y) => (x.path < y.path ? -1 : 1))).toMatchObject([
      { path: 'check', origin: 'PINNED', branch: 'true', outputs: {} },
      { path: 'each', origin: 'EXECUTED' },
      { path: 'each/0/send', origin: 'PINNED', status: 'SUCCEEDED', outputs: { sent: true } },
      { path: 'each/1/send', origin: 'PINNED' },
      { path: 'other', origin: null, status: 'SKIPPED' },
    ]);
    expect(run.status).toBe('SUCCEEDED');
  });

  test('of a request’s own pins ignores those of the draft', async () => {
    const { workflowId } = await published();
    await save(workflowId, { nodes: [set('a', { n: 1 })] }, { a: { n: 2 } });
    const run = await ended(await startedId({ workflowId, draft: true, pins: {} }));
    expect(run.steps).toMatchObject([{ origin: 'EXECUTED', outputs: { n: 1 } }]);
  });

  test('pins never reach a revision', async () => {
    const { workflowId } = await published();
    await save(workflowId, { nodes: [set('a', { n: 1 })] }, { a: { secret: 'pinned' } });
    await api.graphql('mutation ($input: PublishWorkflowInput!) { publishWorkflow(input: $input) { __typename } }', {
      input: { workflowId, version: 1 },
    });
    const { rows } = await api.deps.database.system.query(
      `SELECT 1 FROM workflows w LEFT JOIN workflow_bundles b ON b.workflow_id = w.id WHERE w.id = $1 AND (w.blob::text LIKE '%pinned%' OR b.content::text LIKE '%pinned%')`,
      [workflowId],
    );
    expect(rows).toEqual([]);
  });

  test('stores equal content once', async () => {
    const { workflowId } = await published();
    await save(workflowId, { nodes: [set('a', { n: 1 })] });
    for (let n = 0; n < 3; n += 1) await startedId({ workflowId, draft: true });
    expect(await count('workflow_bundles WHERE workflow_id = $1 AND content_hash IS NOT NULL', workflowId)).toBe(1);
  });

  test.for([
    ['no draft', {}, { __typename: 'ConflictError', message: 'The workflow has no draft.' }],
    [
      'an idempotency key',
      { idempotencyKey: 'k' },
      { __typename: 'ValidationError', fields: [{ path: 'idempotencyKey' }] },
    ],
    [
      'a trigger of another workflow',
      { triggerHandle: '7d9d2a30-3c2b-4a57-9d21-3f1f0c4b8a11', draft: null, pins: {} },
      { __typename: 'ValidationError', fields: [{ path: 'triggerHandle' }] },
    ],
    [
      'a pin that is no object',
      { draft: null, pins: { a: [1] } },
      { __typename: 'ValidationError', fields: [{ path: 'pins.a' }] },
    ],
    [
      'a pinned branch that is no name',
      { draft: null, pins: { a: { $branch: {} } } },
      { __typename: 'ValidationError', fields: [{ path: 'pins.a.$branch' }] },
    ],
    [
      'a pinned branch that its node does not have',
      { draft: null, pins: { a: { $branch: 'true' } } },
      { fields: [{ path: 'pins.a.$branch', messages: ['Name a branch of the node: default.'] }] },
    ],
  ] as const)('is refused for %s', async ([, input, expected]) => {
    const { workflowId } = await published();
    expect(await start({ workflowId, draft: true, ...input })).toMatchObject(expected);
  });

  test('is refused for a draft that is not valid, with every problem', async () => {
    const { workflowId } = await published();
    await save(workflowId, { nodes: [node('a', 'nothing'), node('b', 'nothing')] });
    const { fields } = await start({ workflowId, draft: true });
    expect(fields?.map(({ path }) => path)).toEqual(['blob.nodes.0.node', 'blob.nodes.1.node']);
  });

  test('needs the role admin', async () => {
    const { workflowId } = await published();
    const { errors } = await api.graphql(startDocument, { input: { workflowId, draft: true } }, { roles: ['user'] });
    expect(errors?.[0]?.extensions?.['code']).toBe('FORBIDDEN');
  });
});

describe('a test run that fails', () => {
  test('counts nowhere, publishes nothing, and starts no error workflow and no event trigger', async () => {
    const onError = await published();
    const failing = {
      nodes: [
        node('emit', 'emit-event', { topic: 'tested.event', data: {} }),
        node('f', 'fail', { message: 'tested' }),
      ],
      edges: chain('emit', 'f'),
      settings: { error_workflow_id: onError.workflowId },
    };
    const { workflowId, handle } = await published(failing);
    await save(workflowId, failing);
    const events = `outbox_events WHERE topic = 'tested.event' OR (topic LIKE 'run.%' AND (data ->> 'workflow_id')::bigint = $1)`;
    const rollups = `run_rollup_changes WHERE workflow_id = $1`;
    const test = await startedId({ workflowId, draft: true });
    expect(await ended(test)).toMatchObject({
      status: 'FAILED',
      steps: [{ status: 'SUCCEEDED' }, { status: 'FAILED' }],
    });
    expect(await count(events, workflowId)).toBe(0);
    expect(await count(rollups, workflowId)).toBe(0);
    expect(await count('runs WHERE workflow_id = $1', onError.workflowId)).toBe(0);
    expect(await count('dead_letters')).toBe(0);
    // The same workflow, started for real.
    await ended(await startedId({ workflowId, triggerHandle: handle }));
    expect(await count(events, workflowId)).toBe(2);
    expect(await count(rollups, workflowId)).toBe(1);
    expect(await count('runs WHERE workflow_id = $1', onError.workflowId)).toBe(1);
    while (await foldRollupChanges(api.deps));
    expect(await count('run_rollups WHERE workflow_id = $1 AND runs = 1', workflowId)).toBe(1);
  });

  test('can be retried, is not counted by that, and cannot be rerun', async () => {
    const { workflowId } = await published();
    await save(workflowId, { nodes: [node('f', 'fail', { message: 'again' })] });
    const id = await startedId({ workflowId, draft: true });
    await ended(id);
    const retry = 'mutation ($input: RetryRunInput!) { answer: retryRun(input: $input) { __typename } }';
    expect((await api.graphql(retry, { input: { id } })).data).toEqual({ answer: { __typename: 'RetryRunPayload' } });
    await untilRun(api, id, (run) => run.status === 'failed' && run.steps.length === 2);
    expect(await count('run_rollup_changes WHERE workflow_id = $1', workflowId)).toBe(0);
    const rerun = 'mutation ($input: RerunRunInput!) { answer: rerunRun(input: $input) { __typename } }';
    expect((await api.graphql(rerun, { input: { id } })).data).toEqual({ answer: { __typename: 'ConflictError' } });
  });

  test('is taken by a bulk action only where its filter asks for test runs', async () => {
    const { workflowId, handle } = await published({ nodes: [node('f', 'fail', { message: 'bulk' })] });
    await ended(await startedId({ workflowId, pins: {} }));
    await ended(await startedId({ workflowId, triggerHandle: handle }));
    const bulk = `query ($filter: RunFilter!) { runs(filter: $filter) { totalCount } }`;
    const dry = `mutation ($input: RetryRunsInput!) { answer: retryRuns(input: $input) { ... on RetryRunsPayload { count } } }`;
    const counts = async (filter: object) => [
      (await api.graphql<{ runs: { totalCount: number } }>(bulk, { filter: { workflowId, ...filter } })).data.runs
        .totalCount,
      (
        await api.graphql<{ answer: { count: number } }>(dry, {
          input: { filter: { workflowId, ...filter }, dryRun: true },
        })
      ).data.answer.count,
    ];
    expect(await counts({})).toEqual([2, 1]);
    expect(await counts({ isTest: true })).toEqual([1, 1]);
    expect(await counts({ isTest: false })).toEqual([1, 1]);
  });
});

test('sub-workflows of a test run are test runs too', async () => {
  const child = await published({ nodes: [node('f', 'fail', { message: 'child' })] });
  const { workflowId } = await published({
    nodes: [node('call', 'sub-workflow', { workflow_id: child.workflowId, wait: true })],
  });
  const run = await ended(await startedId({ workflowId, pins: {} }));
  expect(run).toMatchObject({ status: 'FAILED' });
  expect(await count('runs WHERE workflow_id = $1 AND is_test', child.workflowId)).toBe(1);
  expect(await count('run_rollup_changes WHERE workflow_id = $1', child.workflowId)).toBe(0);
});

test('a test run needs no place under the limit of its workflow, and takes none', async () => {
  const waiting = { nodes: [node('w', 'wait', { resume: true })], settings: { concurrency: 1 } };
  const { workflowId, handle } = await published(waiting);
  const real = await startedId({ workflowId, triggerHandle: handle });
  await untilRun(api, real, 'waiting');
  const test = await startedId({ workflowId, pins: {} });
  await untilRun(api, test, 'waiting');
  const cancel = 'mutation ($input: CancelRunInput!) { cancelRun(input: $input) { __typename } }';
  await api.graphql(cancel, { input: { id: real } });
  await untilRun(api, await startedId({ workflowId, triggerHandle: handle }), 'waiting');
});

test('test runs and what was stored for them are deleted a day after their end, however long the tenant keeps runs', async () => {
  const { workflowId } = await published();
  await save(workflowId, { nodes: [set('a', { n: 1 })] }, { a: { n: 2 } });
  const [old, young] = [await startedId({ workflowId, draft: true }), await startedId({ workflowId, draft: true })];
  const waits = await published({ nodes: [node('w', 'wait', { resume: true })] });
  const open = await startedId({ workflowId: waits.workflowId, pins: {} });
  for (const id of [old, young]) await ended(id);
  await untilRun(api, open, 'waiting');
  await api.graphql('mutation { updateRetention(input: { runDays: null }) { __typename } }');
  const { system } = api.deps.database;
  await system.query(`UPDATE runs SET completed_at = now() - interval '25 hours' WHERE id = $1`, [old]);
  await system.query(
    `UPDATE workflow_bundles SET created_at = now() - interval '25 hours' WHERE content_hash IS NOT NULL`,
  );
  await sweepRetention(api.deps, { pauseMs: 0 });
  const left = async (table: string, key = 'run_id') => count(`${table} WHERE ${key} = ANY($1)`, [old, young, open]);
  expect(await left('runs', 'id')).toBe(2);
  for (const table of ['run_payloads', 'test_runs']) expect(await left(table), table).toBe(2);
  expect(await left('test_run_outputs')).toBe(1);
  expect(await count('workflow_bundles WHERE workflow_id = $1 AND content_hash IS NOT NULL', workflowId)).toBe(0);
  expect((await readRun(young)).steps).toMatchObject([{ origin: 'PINNED' }]);
});

describe('the state store', () => {
  const access = { namespaces: { tested: 'read_write' } };
  const put = (id: string, config: object) => node(id, 'state-set', { namespace: 'tested', ...config });
  const get = (id: string, key: string) => node(id, 'state-get', { namespace: 'tested', key });
  const entries = async () =>
    (
      await api.deps.database.system.query(
        `SELECT key, value, version FROM state_entries WHERE namespace = 'tested' ORDER BY key`,
      )
    ).rows;

  test('shows a test run the tenant’s entries and its own writes, which nobody else sees', async () => {
    await openState(api.deps, 'acme-shop', { tested: 'read_write' }).set({ namespace: 'tested', key: 'k', value: 1 });
    const child = await published({ nodes: [get('g', 'k')], state: access });
    const { workflowId } = await published({
      nodes: [
        get('before', 'k'),
        put('write', { key: 'k', value: 2, version: 1 }),
        put('create', { key: 'new', value: null, version: 0 }),
        get('after', 'k'),
        get('created', 'new'),
        node('call', 'sub-workflow', { workflow_id: child.workflowId, wait: true }),
        put('conflict', { key: 'k', value: 3, version: 1 }),
      ],
      edges: chain('before', 'write', 'create', 'after', 'created', 'call', 'conflict'),
      state: access,
    });
    const run = await ended(await startedId({ workflowId, pins: {} }));
    expect(run.steps.map(({ path, outputs }) => [path, outputs])).toEqual([
      ['before', { value: 1, version: 1, found: true }],
      ['write', { version: 2 }],
      ['create', { version: 1 }],
      ['after', { value: 2, version: 2, found: true }],
      ['created', { value: null, version: 1, found: true }],
      ['call', { run_id: expect.any(Number), result: { g: { value: 2, version: 2, found: true } } }],
      ['conflict', null],
    ]);
    expect(run.error).toContain('has changed since you read it');
    expect(await entries()).toEqual([{ key: 'k', value: 1, version: 1 }]);
    const again = await ended(await startedId({ workflowId: child.workflowId, pins: {} }));
    expect(again.steps).toMatchObject([{ outputs: { value: 1, version: 1 } }]);
  });

  test('takes a test run’s deletions, concurrent writes of one key and a bounded number of entries', async () => {
    const store = openState(api.deps, 'acme-shop', { tested: 'read_write' }, { testRunId: 1_000_000 });
    const key = { namespace: 'tested', key: 'k' };
    await store.delete({ ...key, version: 1 });
    expect(await store.get('tested', 'k')).toBeUndefined();
    await store.delete(key);
    const versions = await Promise.all(Array.from({ length: 8 }, (_, n) => store.set({ ...key, value: n })));
    expect(versions.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await store.set({ namespace: 'tested', key: 'short', value: 1, ttlSeconds: 1 });
    await api.deps.database.system.query(
      `UPDATE test_run_state SET expires_at = now() - interval '1 second' WHERE run_id = 1000000 AND key = 'short'`,
    );
    expect(await store.get('tested', 'short')).toBeUndefined();
    await api.deps.database.system.query(
      `INSERT INTO test_run_state (tenant_id, run_id, namespace, key, value, version)
       SELECT 'acme-shop', 1000000, 'tested', n::text, '1', 1 FROM generate_series(1, 998) AS n`,
    );
    await expect(store.set({ namespace: 'tested', key: 'one more', value: 1 })).rejects.toMatchObject({
      code: 'STATE_FULL',
    });
    expect(await store.set({ ...key, value: 9 })).toEqual({ version: 9 });
    expect(await entries()).toEqual([{ key: 'k', value: 1, version: 1 }]);
  });
});
