import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { infraTasks } from '#src/infra/background/infra-tasks.ts';
import { test } from '#test/setup/app-test.ts';

const span = 5_000_000;

test('a worker makes partitions for ids that were allocated without a worker, as soon as no statement locks the table', async ({
  api,
}) => {
  const task = infraTasks.find(({ name }) => name === 'make-partitions');
  const makePartitions = () => task?.work(api.deps, new AbortController().signal);
  const [owner, reader] = [1, 2].map(() => new pg.Client({ connectionString: api.databaseUrl })) as [
    pg.Client,
    pg.Client,
  ];
  for (const client of [owner, reader]) {
    await client.connect();
    onTestFinished(() => client.end());
  }
  const readMade = async () =>
    (
      await owner.query<{ part: number; made: boolean }>(
        `SELECT part, to_regclass('runs_p' || part) IS NOT NULL AS made FROM generate_series(6, 9) AS part`,
      )
    ).rows.filter(({ made }) => made);
  await owner.query(`SELECT setval('runs_id_seq', $1)`, [7 * span + 1]);
  await reader.query('BEGIN; LOCK TABLE runs IN ACCESS SHARE MODE');
  await expect(makePartitions()).rejects.toThrow('lock timeout');
  expect(await readMade()).toEqual([]);
  await reader.query('ROLLBACK');
  await makePartitions();
  expect(await readMade()).toEqual([7, 8].map((part) => ({ part, made: true })));
});
