import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { test } from '#test/setup/app-test.ts';
import { chain, node, readyWorkflow } from '#test/setup/engine.ts';

test('runs test starts a test run, follows it to its end, and prints where each output came from', async ({
  api,
  startEngine,
}) => {
  await startEngine();
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const env = {
    CAUSEWAY_URL: `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`,
    CAUSEWAY_TENANT: 'acme-shop',
    CAUSEWAY_TOKEN: await api.token({ roles: ['admin'] }),
  };
  const run = async (...argv: string[]) => {
    const outcome = { code: 0, out: '', err: '' };
    outcome.code = await runCauseway(['runs', 'test', ...argv], {
      out: (text) => void (outcome.out += text),
      err: (text) => void (outcome.err += text),
      cwd: '/',
      env,
    });
    return outcome;
  };
  const { workflowId } = await readyWorkflow(
    api,
    {
      nodes: [
        node('a', 'set', { values: { n: '{{ trigger.payload.n }}' } }),
        node('b', 'fail', { message: 'no.' }),
        node('c', 'wait', { duration_ms: 1000 }),
        node('d', 'wait', { resume: true }),
      ],
      edges: [...chain('a', 'b'), ...chain('a', 'c', 'd')],
    },
    { type: 'manual' },
  );
  const id = String(workflowId);

  expect(await run(id, '--to', 'a', '--payload', '{"n": 1}')).toEqual({
    code: 0,
    err: '',
    out: expect.stringMatching(/^executed {2}a\nRun \d+ succeeded\.\n$/),
  });
  expect(await run(id, '--from', 'b', '--pins', '{"a": {"n": 2}}')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^pinned {4}a\nexecuted {2}b {2}failed: no\.\nRun \d+ failed: b: no\.\n$/),
  });
  // It waits for a timer, and ends at a step that only an outside caller resumes.
  expect(await run(id, '--to', 'c')).toMatchObject({ code: 0, out: expect.stringMatching(/Run \d+ succeeded\.\n$/) });
  expect(await run(id, '--from', 'd', '--pins', '{"a": {}, "c": {}}')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/Run \d+ waiting\.\n$/),
  });
  const json = await run(id, '--to', 'a', '--payload', '{"n": 3}', '--json');
  expect(JSON.parse(json.out)).toMatchObject({ status: 'SUCCEEDED', result: { a: { n: 3 } } });
  expect(await run(id, '--draft')).toMatchObject({ code: 1, err: expect.stringContaining('has no draft') });
  expect(await run(id, '--to', 'gone')).toMatchObject({
    code: 1,
    err: expect.stringContaining('to: The workflow has no node gone'),
  });
  expect(await run(id, '--pins', '{')).toMatchObject({ code: 2, err: expect.stringContaining('--pins as JSON') });
  expect(await run()).toMatchObject({ code: 2 });
  expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--reuse') });
});
