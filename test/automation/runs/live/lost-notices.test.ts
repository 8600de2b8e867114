import pg from 'pg';
import { expect } from 'vitest';
import { waitForRun } from '#src/automation/runs/live/run-waiting.service.ts';
import { test } from '#test/setup/app-test.ts';
import { chain, fireRun, node, readyWorkflow } from '#test/setup/engine.ts';
import { runsManyWorkflows } from '#test/setup/timeouts.ts';

const tenant = 'acme-shop';

/** Has Postgres lose every third notice. Connections opened from now on call this function in place of its own. */
async function loseEveryThird(url: string): Promise<() => Promise<number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    CREATE SCHEMA faults;
    CREATE SEQUENCE faults.notices;
    CREATE FUNCTION faults.pg_notify(channel text, payload text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      IF nextval('faults.notices') % 3 > 0 THEN PERFORM pg_catalog.pg_notify(channel, payload); END IF;
    END $$;
    GRANT USAGE ON SCHEMA faults TO PUBLIC;
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = faults, pg_catalog, public', current_database()); END $$;`);
  await client.end();
  return async () => {
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    const { rows } = await reader.query<{ sent: string }>('SELECT last_value AS sent FROM faults.notices');
    await reader.end();
    return Number(rows[0]?.sent);
  };
}

let sent: () => Promise<number>;
// Before anything connects to the database.
test.beforeAll(async ({ database }) => {
  sent = await loseEveryThird(database.url);
});

const named = 'a lost notice delays what waits for it by about a second and loses nothing';
test(named, runsManyWorkflows, async ({ api, startEngine }) => {
  await startEngine();
  const steps = ['first', 'second', 'third'];
  const workflow = await readyWorkflow(api, {
    nodes: steps.map((id) => node(id, 'set', { values: { id } })),
    edges: chain(...steps),
  });
  const lateMs: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    const id = await fireRun(api, workflow);
    const run = await waitForRun(api.deps, tenant, id, 30_000);
    expect(run?.status).toBe('succeeded');
    lateMs.push(Date.now() - Date.parse(run?.completedAt as string));
  }
  expect(await sent()).toBeGreaterThan(10);
  // Twice what is promised, for a busy machine. Without the numbers of notices a view would wait up to 15 seconds.
  expect(Math.max(...lateMs)).toBeLessThan(2_500);
});
