import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { insertRun, insertWorkflow } from '#test/automation/runs/run-rows.ts';
import { test } from '#test/setup/app-test.ts';

test('runs steps prints the steps of a run page by page, narrowed as asked, and says how many it leaves out', async ({
  api,
}) => {
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const workflow = await insertWorkflow(api.database, 'acme-shop', 'Orders to ERP');
  const run = String(await insertRun(api.database, 'acme-shop', workflow));
  await api.database.system.query(
    `INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, status, error, started_at, completed_at)
     SELECT 'acme-shop', $1::bigint, 'each/' || n || '/map', 1, 'map', CASE WHEN n = 7 THEN 'failed' ELSE 'succeeded' END,
       CASE WHEN n = 7 THEN '{"message": "no stock"}'::jsonb END, at, at + interval '20 milliseconds'
     FROM generate_series(1, 250) AS n CROSS JOIN LATERAL (SELECT '2026-03-01T10:00:00Z'::timestamptz + n * interval '1 second') AS time(at)
     UNION ALL SELECT 'acme-shop', $1::bigint, 'last', 2, 'last', 'running', NULL::jsonb, '2026-03-01T11:00:00Z'::timestamptz, NULL::timestamptz`,
    [run],
  );
  const env = {
    CAUSEWAY_URL: `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`,
    CAUSEWAY_TENANT: 'acme-shop',
    CAUSEWAY_TOKEN: await api.token({ roles: ['user'] }),
  };
  const steps = async (argv: string[], more: object = {}) => {
    const outcome = { code: 0, out: '', err: '' };
    outcome.code = await runCauseway(['runs', 'steps', ...argv], {
      out: (text) => void (outcome.out += text),
      err: (text) => void (outcome.err += text),
      cwd: '/',
      env: { ...env, ...more },
    });
    return outcome;
  };

  expect(await steps([run, '--node', 'map', '--status', 'failed'])).toEqual({
    code: 0,
    err: '',
    out: '2026-03-01T10:00:07.000Z  failed     each/7/map  20 ms  no stock\n',
  });
  expect((await steps([run, '--node', 'last'])).out).toBe('2026-03-01T11:00:00.000Z  running    last  attempt 2\n');
  expect((await steps([run, '--path', 'each/25/'])).out).toContain('each/25/map');
  expect(await steps([run, '--node', 'other'])).toEqual({ code: 0, err: '', out: 'No steps.\n' });

  const some = await steps([run]);
  expect(some.out.trim().split('\n')).toHaveLength(100);
  expect(some.err).toBe('100 of 251 steps; ask for more with --first.\n');
  const { totalCount, steps: listed } = JSON.parse((await steps([run, '--first', '1000', '--json'])).out);
  expect(totalCount).toBe(251);
  expect(listed.map(({ path }: { path: string }) => path)).toEqual([
    ...Array.from({ length: 250 }, (_, index) => `each/${index + 1}/map`),
    'last',
  ]);

  expect(await steps(['999999'])).toMatchObject({ code: 1, err: expect.stringContaining('There is no run 999999.') });
  expect(await steps([run], { CAUSEWAY_TENANT: 'acme-outlet' })).toMatchObject({ code: 1 });
  expect(await steps([run, '--status', 'sleepy'])).toMatchObject({ code: 1, err: expect.stringContaining('SLEEPY') });
  expect(await steps([run, '--first', '10001'])).toMatchObject({ code: 2 });
  expect(await steps([])).toMatchObject({ code: 2 });
  expect(await steps(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--path') });
});
