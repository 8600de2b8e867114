import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { test } from '#test/setup/app-test.ts';

test('event-order prints the order of events, changes it, and names the two possible orders', async ({ database }) => {
  const call = async (...argv: string[]) => {
    const outcome = { code: 0, out: '', err: '' };
    outcome.code = await runCauseway(['event-order', ...argv], {
      out: (text) => void (outcome.out += text),
      err: (text) => void (outcome.err += text),
      cwd: '/',
      env: { DATABASE_URL: database.url },
    });
    return outcome;
  };
  expect(await call()).toEqual({ code: 0, out: 'The order of events is snapshot.\n', err: '' });
  expect(await call('sequence')).toMatchObject({ code: 0, out: 'The order of events is sequence; it was snapshot.\n' });
  expect(JSON.parse((await call('--json')).out)).toEqual({ order: 'sequence', was: 'sequence' });
  expect(await call('sequence')).toMatchObject({ code: 0, out: 'The order of events is sequence.\n' });
  expect(await call('commits')).toMatchObject({ code: 2, err: expect.stringContaining('snapshot or sequence') });
});
