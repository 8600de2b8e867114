import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { readSequenceUse } from '#src/infra/postgres/sequence-use.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { fireRun, node, readyWorkflow, untilRun, startTestEngine } from '#test/setup/engine.ts';
import { makeInstallation, type TestInstallation } from '#test/setup/installation.ts';

const room = 2 ** 45;

describe('the last installation', () => {
  let last: TestInstallation;
  let api: TestApp;
  beforeAll(async () => {
    last = await makeInstallation(255, 'superuser');
    api = await startTestApp({ databaseUrl: last.url });
  });
  afterAll(async () => {
    await api.close();
    await last.drop();
  });

  test('keeps every sequence of ids, also that of a later migration, within its range, which is exact in JavaScript', async () => {
    await last.superuser.query('CREATE TABLE later (id bigserial); SELECT place_sequences()');
    const { rows } = await last.superuser.query<{ name: string; min: string; max: string; start: string }>(
      `SELECT sequencename AS name, min_value AS min, max_value AS max, start_value AS start FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`,
    );
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.map(({ name }) => name)).toContain('later_id_seq');
    for (const { min, max, start } of rows)
      expect([min, max, start].map(Number)).toEqual([255 * room, Number.MAX_SAFE_INTEGER, 255 * room]);
    expect(256 * room - 1).toBe(Number.MAX_SAFE_INTEGER);
    await last.superuser.query('DROP TABLE later');
  });

  test('reports how much of its own range has been given', async () => {
    expect(await readSequenceUse(api.database)).toBeLessThan(0.001);
    await last.superuser.query(`SELECT setval('price_lists_id_seq', $1)`, [255 * room + room / 2]);
    expect(await readSequenceUse(api.database)).toBeCloseTo(0.5);
  });

  test('fires a workflow, runs it and shows its steps by ids of 16 digits', async () => {
    const engine = await startTestEngine(api);
    try {
      const made = await readyWorkflow(api, { nodes: [node('only', 'set', { values: { a: 1 } })] });
      expect(made.workflowId).toBeGreaterThanOrEqual(255 * room);
      const runId = await fireRun(api, made);
      expect(await untilRun(api, runId)).toMatchObject({ status: 'succeeded' });
      const answer = await api.graphql<{ run: { id: string; steps: { id: string; path: string }[] } }>(
        'query ($id: ID!) { run(id: $id) { id steps { id path } } }',
        { id: String(runId) },
      );
      expect(answer).toMatchObject({ data: { run: { steps: [{ path: 'only' }] } } });
      const step = await api.graphql('query ($id: ID!) { node(id: $id) { ... on Step { path } } }', {
        id: answer.data.run.steps[0]?.id,
      });
      expect(step).toEqual({ data: { node: { path: 'only' } } });
    } finally {
      await engine.stop();
    }
  });

  test('moves ids ahead within its range after a failover', async () => {
    const { rows } = await last.superuser.query<{ moved: string }>(`SELECT enter_timeline('another', 7) AS moved`);
    expect(Number(rows[0]?.moved)).toBe(1_000_000);
    const { rows: after } = await last.superuser.query<{ id: string }>(
      `SELECT nextval('import_profiles_id_seq') AS id`,
    );
    expect(Number(after[0]?.id)).toBe(255 * room + 1_000_001);
  });

  test('is refused under another number, and starts under its own', async () => {
    await expect(migrate(last.url, declarations.jobs)).rejects.toThrow(
      'This database is that of installation 255, and INSTALLATION says 0. Its ids are numbered as those of installation 255, so set INSTALLATION=255, or name another database.',
    );
    expect(await migrate(last.url, declarations.jobs, { installation: 255 })).toEqual([]);
  });
});

test('a database from before installations had numbers is installation 0, and takes no other once it has given ids', async () => {
  const before = await cloneDatabase();
  try {
    await expect(migrate(before.url, declarations.jobs, { installation: 3 })).rejects.toThrow(
      'This database is that of installation 0',
    );
  } finally {
    await before.drop();
  }
});
