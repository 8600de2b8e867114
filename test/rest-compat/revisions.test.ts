import { describe, expect } from 'vitest';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { call } from './rest.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await registerBuiltinPackages(api.deps);
});

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const other = { sub: 'another-admin', email: 'other@example.com' };

const blobWith = (a: string, more: object = {}) => ({
  version: 'v1',
  nodes: [{ id: 'a', node: 'core:set', version: '1.0.0', config: { values: { a } } }],
  edges: [],
  ...more,
});

/** A workflow at revision 3: made by the first admin, changed by another one and then by the first again. */
async function makeRevisions(name: string): Promise<string> {
  const { body } = await call(api, 'POST', '/workflows', { body: { name, blob: blobWith('one') } });
  const path = `/workflows/${body['id']}`;
  await call(api, 'PATCH', path, { body: { blob: blobWith('two'), note: 'Second' }, as: other });
  await call(api, 'PATCH', path, { body: { description: 'No new revision', note: 'Nobody reads this' } });
  await call(api, 'PATCH', path, { body: { blob: blobWith('three', { settings: { concurrency: 2 } }) } });
  return path;
}

describe('revisions over REST', () => {
  test('are listed newest first, each with author, time and note', async () => {
    const path = await makeRevisions('History');
    const { status, body } = await call(api, 'GET', `${path}/revisions`, { as: { roles: ['user'] } });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        { revision: 3, created_at: iso, created_by: 'admin@example.com', note: null },
        { revision: 2, created_at: iso, created_by: 'other@example.com', note: 'Second' },
        { revision: 1, created_at: iso, created_by: 'admin@example.com', note: null },
      ],
      meta: { current_page: 1, per_page: 25, total: 3, last_page: 1 },
    });
    const times = (body['data'] as unknown as { created_at: string }[]).map(({ created_at: at }) => at);
    expect(times.toSorted().toReversed()).toEqual(times);
    const second = await call(api, 'GET', `${path}/revisions?per_page=2&page=2`);
    expect(second.body).toEqual({
      data: [expect.objectContaining({ revision: 1 })],
      meta: { current_page: 2, per_page: 2, total: 3, last_page: 2 },
    });
  });

  test('are limited to the newest 1,000 besides the current one, and deleted in batches; runs do not need them', async () => {
    const path = await makeRevisions('Saved all the time');
    const workflowId = Number(path.split('/').at(-1));
    const neighbour = await makeRevisions('Untouched');
    const bundles = () => api.database.system.query('SELECT id, content FROM workflow_bundles ORDER BY id');
    await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
    const { rows: built } = await bundles();
    // As a long history would have left it: 1,150 earlier ones.
    await api.database.system.query(
      `INSERT INTO workflow_revisions (tenant_id, workflow_id, revision, blob)
       SELECT 'acme-shop', $1, n, '{}' FROM generate_series(3, 1150) AS n`,
      [workflowId],
    );
    await api.database.system.query('UPDATE workflows SET revision = 1151 WHERE id = $1', [workflowId]);
    const kept = async (a: string) => {
      expect((await call(api, 'PATCH', path, { body: { blob: blobWith(a) } })).status).toBe(200);
      const { rows } = await api.database.system.query(
        'SELECT count(*)::int AS count, min(revision) AS oldest, max(revision) AS newest FROM workflow_revisions WHERE workflow_id = $1',
        [workflowId],
      );
      return rows[0] as { count: number; oldest: number; newest: number };
    };
    expect(await kept('x')).toEqual({ count: 1_051, oldest: 101, newest: 1_151 });
    expect(await kept('y')).toEqual({ count: 1_000, oldest: 153, newest: 1_152 });
    expect(await kept('z')).toEqual({ count: 1_000, oldest: 154, newest: 1_153 });

    expect((await call(api, 'GET', `${path}/revisions?per_page=1`)).body).toMatchObject({
      data: [{ revision: 1_154 }],
      meta: { total: 1_001 },
    });
    expect((await call(api, 'GET', `${path}/revisions/153`)).status).toBe(404);
    expect((await call(api, 'GET', `${path}/revisions/153/diff/1154`)).status).toBe(404);
    expect((await call(api, 'POST', `${path}/revisions/153/restore`)).status).toBe(404);
    expect((await call(api, 'GET', `${path}/revisions/154`)).status).toBe(200);
    expect((await bundles()).rows).toEqual(built);
    expect((await call(api, 'GET', `${neighbour}/revisions`)).body).toMatchObject({ meta: { total: 3 } });
  });

  test('are shown with their blobs', async () => {
    const path = await makeRevisions('Shown');
    for (const [n, a] of [
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ] as const) {
      const { body } = await call(api, 'GET', `${path}/revisions/${n}`);
      expect(body).toMatchObject({ revision: n, blob: { nodes: [{ config: { values: { a } } }] } });
      expect(Object.keys(body).toSorted()).toEqual(['blob', 'created_at', 'created_by', 'note', 'revision']);
    }
  });

  test('are compared in either direction, without changes for the same', async () => {
    const path = await makeRevisions('Compared');
    const there = await call(api, 'GET', `${path}/revisions/1/diff/3`);
    expect([there.status, there.body]).toEqual([
      200,
      {
        from: 1,
        to: 3,
        nodes: {
          added: [],
          removed: [],
          changed: [{ id: 'a', changes: [{ path: 'config.values.a', from: 'one', to: 'three' }] }],
        },
        edges: { added: [], removed: [] },
        settings: [{ path: 'settings', from: null, to: { concurrency: 2 } }],
        state: [],
        summary: ['a: config.values.a "one" → "three".', 'settings set to {"concurrency":2}.'],
        truncated: false,
      },
    ]);
    const back = await call(api, 'GET', `${path}/revisions/3/diff/1`);
    expect(back.body).toMatchObject({
      from: 3,
      to: 1,
      nodes: { changed: [{ changes: [{ path: 'config.values.a', from: 'three', to: 'one' }] }] },
    });
    const same = await call(api, 'GET', `${path}/revisions/2/diff/2`);
    expect(same.body).toEqual({
      from: 2,
      to: 2,
      nodes: { added: [], removed: [], changed: [] },
      edges: { added: [], removed: [] },
      settings: [],
      state: [],
      summary: [],
      truncated: false,
    });
  });

  test('are restored as new revisions, which are built and audited', async () => {
    const path = await makeRevisions('Restored');
    const restored = await call(api, 'POST', `${path}/revisions/1/restore`, { body: { note: 'Back' }, as: other });
    expect(restored).toMatchObject({
      status: 200,
      body: {
        revision: 4,
        description: 'No new revision',
        blob: { nodes: [{ config: { values: { a: 'one' } } }] },
        bundle: { status: 'building' },
      },
    });
    const again = await call(api, 'POST', `${path}/revisions/4/restore`);
    expect(again).toMatchObject({ status: 200, body: { revision: 5 } });
    const { body } = await call(api, 'GET', `${path}/revisions?per_page=3`);
    expect(body['data']).toEqual([
      { revision: 5, created_at: iso, created_by: 'admin@example.com', note: null },
      { revision: 4, created_at: iso, created_by: 'other@example.com', note: 'Back' },
      { revision: 3, created_at: iso, created_by: 'admin@example.com', note: null },
    ]);
    expect((await call(api, 'GET', `${path}/revisions/1/diff/5`)).body).toMatchObject({ summary: [] });
    const { rows } = await api.database.system.query(
      `SELECT actor_sub, metadata FROM audit_entries WHERE action = 'update' AND resource_type = 'workflow' AND resource_id = $1
       ORDER BY id DESC LIMIT 2`,
      [String(restored.body['id'])],
    );
    expect(rows).toEqual([
      { actor_sub: 'test-admin', metadata: { changed: ['blob', 'revision'], revision: 5, restored_from: 4 } },
      { actor_sub: 'another-admin', metadata: { changed: ['blob', 'revision'], revision: 4, restored_from: 1 } },
    ]);
  });

  test('answer 404 to unknown numbers, and change nothing', async () => {
    const path = await makeRevisions('Unknown');
    for (const n of ['0', '4', '-1', 'x', '1.5', '2147483647', '2147483648', '9999999999999999999', '%20']) {
      for (const [method, rest] of [
        ['GET', ''],
        ['GET', '/diff/1'],
        ['POST', '/restore'],
      ] as const) {
        const answer = await call(api, method, `${path}/revisions/${n}${rest}`);
        expect([n, rest, answer.status, answer.body]).toEqual([n, rest, 404, { message: 'Not found.' }]);
      }
      expect(await call(api, 'GET', `${path}/revisions/1/diff/${n}`)).toMatchObject({ status: 404 });
    }
    expect(await call(api, 'GET', path)).toMatchObject({ body: { revision: 3 } });
  });

  test('of a deleted workflow are not found', async () => {
    const path = await makeRevisions('Deleted');
    await call(api, 'DELETE', path);
    for (const rest of ['', '/1', '/3', '/1/diff/2']) {
      expect(await call(api, 'GET', `${path}/revisions${rest}`)).toMatchObject({ status: 404 });
    }
    expect(await call(api, 'POST', `${path}/revisions/1/restore`)).toMatchObject({ status: 404 });
  });

  test('answer 422 if the parts of a revision no longer exist', async () => {
    const path = await makeRevisions('Gone');
    await api.database.system.query(
      `UPDATE workflow_revisions SET blob = jsonb_set(blob, '{nodes,0,node}', '"gone:away"')
       WHERE revision = 1 AND workflow_id = $1`,
      [path.split('/')[2]],
    );
    const answer = await call(api, 'POST', `${path}/revisions/1/restore`);
    expect([answer.status, Object.keys(answer.body['errors'] ?? {})]).toEqual([422, ['blob.nodes.0.node']]);
    expect(await call(api, 'GET', path)).toMatchObject({ body: { revision: 3 } });
  });

  test('may have notes of at most 500 characters', async () => {
    const path = await makeRevisions('Noted');
    const note = 'x'.repeat(501);
    for (const [method, to, body] of [
      ['POST', `${path}/revisions/1/restore`, { note }],
      ['PATCH', path, { blob: blobWith('four'), note }],
    ] as const) {
      expect(await call(api, method, to, { body })).toMatchObject({
        status: 422,
        body: { errors: { note: [expect.any(String)] } },
      });
    }
    const longest = await call(api, 'POST', `${path}/revisions/1/restore`, { body: { note: note.slice(1) } });
    expect(longest.status).toBe(200);
  });
});
