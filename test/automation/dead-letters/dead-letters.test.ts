import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect } from 'vitest';
import { insertWorkflow } from '#test/automation/runs/run-rows.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const tenantId = 'acme-shop';
const worker = randomUUID();
let api: TestApp;
let workflowId: number;
let handle: string;

test.beforeAll(({ api: started }) => {
  api = started;
});

beforeEach(async () => {
  await api.database.system.query(
    `INSERT INTO workers (id, host, pid, lease_until) VALUES ($1, 'test', 1, now() + interval '1 hour')
     ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`,
    [worker],
  );
  workflowId = await insertWorkflow(api.database, tenantId, `Flow ${randomUUID()}`);
  handle = await insertTrigger('webhook');
});

async function insertTrigger(type: string, of = workflowId): Promise<string> {
  const { rows } = await api.database.system.query<{ handle: string }>(
    `INSERT INTO triggers (tenant_id, workflow_id, type, name) VALUES ($1, $2, $3, 'Trigger') RETURNING handle`,
    [tenantId, of, type],
  );
  return rows[0]?.handle as string;
}

async function capture(
  given: { status?: string; createdAt?: string; tenant?: string; workflow?: number } = {},
): Promise<number> {
  const { rows } = await api.database.system.query<{ id: number }>(
    `WITH letter AS (
       INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, reason, status, created_at)
       VALUES ($1, $2, 7, 'webhook', $3, 'Workflow bundle is not ready.', $4, coalesce($5, now())) RETURNING tenant_id, id
     ), payload AS (
       INSERT INTO dead_letter_payloads SELECT tenant_id, id, '{"order": 12}' FROM letter
     ) SELECT id FROM letter`,
    [
      given.tenant ?? tenantId,
      given.workflow ?? workflowId,
      handle,
      given.status ?? 'pending',
      given.createdAt ?? null,
    ],
  );
  return rows[0]?.id as number;
}

interface Replayed {
  replayDeadLetter: {
    __typename: string;
    code?: string;
    message?: string;
    run?: { databaseId: number; status: string; payload: unknown; triggerHandle: string; triggerType: string };
  };
}
const failure = '__typename ... on Error { code message } ... on ValidationError { fields { path messages } }';
const replay = `mutation ($input: ReplayDeadLetterInput!) { replayDeadLetter(input: $input) { ${failure}
  ... on ReplayDeadLetterPayload { run { databaseId workflowId status payload triggerHandle triggerType trigger { type workflow { databaseId } } }
    deadLetter { status replayedRun { databaseId } } } } }`;
const discard = `mutation ($input: DiscardDeadLetterInput!) { discardDeadLetter(input: $input) { ${failure}
  ... on DiscardDeadLetterPayload { deadLetter { databaseId status } } } }`;

async function replayed(id: number, input: object = {}, caller: object = { roles: ['user'] }) {
  const { data, errors } = await api.graphql<Replayed>(replay, { input: { id: String(id), ...input } }, caller);
  expect(errors).toBeUndefined();
  return data.replayDeadLetter;
}

async function countRuns(workflow: number): Promise<number> {
  const { rows } = await api.database.system.query<{ runs: number }>(
    'SELECT count(*) AS runs FROM runs WHERE tenant_id = $1 AND workflow_id = $2',
    [tenantId, workflow],
  );
  return rows[0]?.runs as number;
}

async function readStatus(id: number): Promise<string> {
  const { rows } = await api.database.system.query<{ status: string }>(
    'SELECT status FROM dead_letters WHERE id = $1',
    [id],
  );
  return rows[0]?.status as string;
}

const settled = 'Dead letter has already been replayed or discarded.';

describe('replaying a dead letter', () => {
  test('starts a run from the captured payload and trigger, with its job and audit entry', async () => {
    const id = await capture();
    const answer = await replayed(id);
    expect(answer).toMatchObject({
      __typename: 'ReplayDeadLetterPayload',
      run: {
        workflowId,
        status: 'QUEUED',
        payload: { order: 12 },
        triggerHandle: handle,
        triggerType: 'WEBHOOK',
        trigger: { type: 'WEBHOOK', workflow: { databaseId: workflowId } },
      },
      deadLetter: { status: 'REPLAYED', replayedRun: { databaseId: answer.run?.databaseId } },
    });
    const { rows } = await api.database.system.query(
      `SELECT (SELECT count(*) FROM pgboss.job WHERE data->>'runId' = $1) AS jobs,
              (SELECT count(*) FROM audit_entries WHERE action = 'run.started' AND resource_id = $1) AS audited`,
      [String(answer.run?.databaseId)],
    );
    expect(rows[0]).toEqual({ jobs: 1, audited: 1 });
  });

  test('succeeds for one of twenty concurrent calls, and starts one run', async () => {
    const id = await capture();
    const answers = await Promise.all(Array.from({ length: 20 }, () => replayed(id)));
    const refused = answers.filter(({ __typename: type }) => type === 'ConflictError');
    expect(refused).toHaveLength(19);
    expect(new Set(refused.map(({ message }) => message))).toEqual(new Set([settled]));
    expect(await countRuns(workflowId)).toBe(1);
  });

  test('wins or loses against a concurrent discard, never both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await capture();
      const before = await countRuns(workflowId);
      const [one, other] = await Promise.all([
        replayed(id),
        api.graphql<{ discardDeadLetter: { __typename: string } }>(discard, { input: { id: String(id) } }),
      ]);
      const won = one.__typename === 'ReplayDeadLetterPayload';
      expect(other.data.discardDeadLetter.__typename).toBe(won ? 'ConflictError' : 'DiscardDeadLetterPayload');
      expect(await readStatus(id)).toBe(won ? 'replayed' : 'discarded');
      expect(await countRuns(workflowId)).toBe(before + (won ? 1 : 0));
    }
  });

  test('starts from the given trigger', async () => {
    const other = await insertTrigger('manual');
    const answer = await replayed(await capture(), { triggerHandle: other });
    expect(answer.run).toMatchObject({ triggerHandle: other, triggerType: 'MANUAL', payload: { order: 12 } });
  });

  test('falls back to the manual trigger if the captured one was deleted', async () => {
    const id = await capture();
    await api.database.system.query('UPDATE triggers SET active = false WHERE handle = $1', [handle]);
    const manual = await insertTrigger('manual');
    expect((await replayed(id)).run).toMatchObject({ triggerHandle: manual });
  });

  test('refuses a trigger of another workflow', async () => {
    const id = await capture();
    const foreign = await insertTrigger(
      'manual',
      await insertWorkflow(api.database, tenantId, `Other ${randomUUID()}`),
    );
    expect(await replayed(id, { triggerHandle: foreign })).toMatchObject({ __typename: 'ValidationError' });
    expect(await replayed(id, { triggerHandle: 'no handle' })).toMatchObject({ __typename: 'ValidationError' });
    expect(await readStatus(id)).toBe('pending');
  });

  test.each([
    [
      'no trigger is left',
      'UPDATE triggers SET active = false WHERE tenant_id = $1 AND workflow_id = $2',
      {
        code: 'UNPROCESSABLE',
        message: 'Workflow has no active manual trigger; pass trigger_handle to start a specific trigger.',
      },
    ],
    [
      'the bundle is being built',
      `UPDATE workflows SET bundle_status = 'building' WHERE tenant_id = $1 AND id = $2`,
      { code: 'CONFLICT', message: 'Workflow bundle is not ready.' },
    ],
    [
      'the workflow is switched off',
      'UPDATE workflows SET active = false WHERE tenant_id = $1 AND id = $2',
      { code: 'CONFLICT', message: 'Workflow is not active.' },
    ],
  ])('is refused while %s, and leaves it pending', async (_name, change, expected) => {
    const id = await capture();
    await api.database.system.query(change, [tenantId, workflowId]);
    expect(await replayed(id)).toMatchObject(expected);
    expect(await readStatus(id)).toBe('pending');
    expect(await countRuns(workflowId)).toBe(0);
  });

  test('is refused while no worker is alive', async () => {
    const id = await capture();
    await api.database.system.query('UPDATE workers SET lease_until = now()');
    expect(await replayed(id)).toMatchObject({ code: 'UNAVAILABLE', message: 'Workflow worker is unavailable.' });
    expect(await readStatus(id)).toBe('pending');
  });

  test.each(['replayed', 'discarded'])('is refused once it was %s', async (status) => {
    const id = await capture({ status });
    expect(await replayed(id)).toMatchObject({ code: 'CONFLICT', message: settled });
    const { data } = await api.graphql(discard, { input: { id: String(id) } });
    expect(data).toMatchObject({ discardDeadLetter: { code: 'CONFLICT', message: settled } });
  });

  test('cannot be found or discarded by another tenant', async () => {
    const id = await capture();
    expect(await replayed(id, {}, { tenant: 'acme-outlet' })).toMatchObject({ code: 'NOT_FOUND' });
    const { data } = await api.graphql(discard, { input: { id: String(id) } }, { tenant: 'acme-outlet' });
    expect(data).toMatchObject({ discardDeadLetter: { code: 'NOT_FOUND' } });
    expect(await readStatus(id)).toBe('pending');
  });
});

describe('dead letters', () => {
  const list = `query ($filter: DeadLetterFilter, $first: Int, $after: String, $offset: Int) {
    deadLetters(filter: $filter, first: $first, after: $after, offset: $offset) { totalCount pageInfo { endCursor hasNextPage } edges { node { databaseId } } }
    deadLetterSummary(filter: $filter) { total byStatus { pending replayed discarded } } }`;
  interface Listed {
    deadLetters: { totalCount: number; pageInfo: { endCursor: string }; edges: { node: { databaseId: number } }[] };
    deadLetterSummary: { total: number; byStatus: Record<string, number> };
  }
  const listed = async (variables: object): Promise<Listed> => {
    const { data, errors } = await api.graphql<Listed>(list, variables);
    expect(errors).toBeUndefined();
    return data;
  };
  const listIds = ({ deadLetters }: Listed): number[] => deadLetters.edges.map(({ node }) => node.databaseId);

  test('are listed newest first and counted, filtered by workflow, status and time', async () => {
    const old = await capture({ createdAt: '2026-01-01T00:00:00Z' });
    const mid = await capture({ createdAt: '2026-01-02T00:00:00Z', status: 'discarded' });
    const young = await capture({ createdAt: '2026-01-03T00:00:00Z' });
    const of = { workflowId: String(workflowId) };
    const all = await listed({ filter: of });
    expect(listIds(all)).toEqual([young, mid, old]);
    expect(all.deadLetterSummary).toEqual({ total: 3, byStatus: { pending: 2, replayed: 0, discarded: 1 } });
    expect(listIds(await listed({ filter: { ...of, status: ['PENDING'] } }))).toEqual([young, old]);
    expect(listIds(await listed({ filter: { ...of, status: [] } }))).toEqual([young, mid, old]);
    const window = { ...of, since: '2026-01-01T00:00:00Z', until: '2026-01-03T00:00:00Z' };
    expect(listIds(await listed({ filter: window }))).toEqual([mid, old]);
    expect((await listed({ filter: window })).deadLetterSummary.total).toBe(2);
    const first = await listed({ filter: of, first: 2 });
    expect(listIds(first)).toEqual([young, mid]);
    expect(listIds(await listed({ filter: of, first: 2, after: first.deadLetters.pageInfo.endCursor }))).toEqual([old]);
    expect(listIds(await listed({ filter: of, first: 2, offset: 1 }))).toEqual([mid, old]);
  });

  test('show the captured firing, alone and under their workflow', async () => {
    const id = await capture();
    const { data, errors } = await api.graphql(
      `query ($id: ID!, $workflow: ID!) {
        deadLetter(id: $id) { databaseId workflowId workflowName workflow { name } triggerId source triggerHandle reason status payload replayedRun { id } createdAt updatedAt }
        workflow(id: $workflow) { deadLetters { totalCount edges { node { databaseId payload } } } } }`,
      { id: String(id), workflow: String(workflowId) },
      { roles: ['user'] },
    );
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      deadLetter: {
        databaseId: id,
        workflowId,
        workflowName: expect.stringMatching(/^Flow /),
        triggerId: 7,
        source: 'WEBHOOK',
        triggerHandle: handle,
        reason: 'Workflow bundle is not ready.',
        status: 'PENDING',
        payload: { order: 12 },
        replayedRun: null,
      },
      workflow: { deadLetters: { totalCount: 1, edges: [{ node: { databaseId: id, payload: { order: 12 } } }] } },
    });
  });

  test('of another tenant are not found', async () => {
    const id = await capture();
    const { data } = await api.graphql(
      'query ($id: ID!) { deadLetter(id: $id) { id } deadLetters { totalCount } }',
      { id: String(id) },
      { tenant: 'acme-outlet' },
    );
    expect(data).toEqual({ deadLetter: null, deadLetters: { totalCount: 0 } });
  });

  test('can be discarded, once', async () => {
    const id = await capture();
    const { data } = await api.graphql(discard, { input: { id: String(id) } }, { roles: ['user'] });
    expect(data).toEqual({
      discardDeadLetter: {
        __typename: 'DiscardDeadLetterPayload',
        deadLetter: { databaseId: id, status: 'DISCARDED' },
      },
    });
    expect(await countRuns(workflowId)).toBe(0);
  });
});
