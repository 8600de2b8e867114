import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { test } from '#test/setup/app-test.ts';

async function check(argv: readonly string[], env: Record<string, string> = {}) {
  const outcome = { code: 0, out: '', err: '' };
  outcome.code = await runCauseway(['check-database', ...argv], {
    out: (text) => void (outcome.out += text),
    err: (text) => void (outcome.err += text),
    cwd: '/',
    env,
  });
  return outcome;
}

test('check-database prints a line for each feature, and asks the database that it is given or that of DATABASE_URL', async ({
  database,
}) => {
  const given = await check([database.url]);
  expect(given).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^ok +forced row-level security$/m) });
  // The server of the tests keeps nothing after a crash.
  expect(given.out).toMatch(
    /^RISK +commits that outlive a crash .*\n +Switched off: fsync, full_page_writes, synchronous_commit\.\n/m,
  );
  expect(given.out).toMatch(/\n\nCauseway runs on this database; risks: 1\.\n$/);
  const { code, out } = await check(['--json'], { DATABASE_URL: database.url });
  const { fits, features } = JSON.parse(out) as { fits: boolean; features: { outcome: string }[] };
  expect([code, fits, features.filter(({ outcome }) => outcome === 'missing')]).toEqual([0, true, []]);
});

test('check-database says which database to name, and why one cannot be reached', async () => {
  expect(await check([])).toMatchObject({ code: 2, err: expect.stringContaining('DATABASE_URL') });
  expect(await check(['postgres://nobody@127.0.0.1:1/none'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('ECONNREFUSED'),
  });
});
