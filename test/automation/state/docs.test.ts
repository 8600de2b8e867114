import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { stateLimits } from '#src/automation/state/state.inputs.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { fireRun, readyWorkflow, untilRun } from '#test/setup/engine.ts';

const page = await readFile(new URL('../../../docs/state-and-secrets.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language, role, text = '']) => ({
  language,
  role,
  text,
}));

test.beforeAll(async ({ startEngine }) => {
  await startEngine();
});

/** `...` in the page stands for any text. */
const expected = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown) => (value === '...' ? expect.any(String) : value));

test('the workflow of the page runs, and its requests get the shown responses', async ({ api }) => {
  let told = 0;
  for (const [index, { language, role, text }] of blocks.entries()) {
    if (role === 'blob') {
      const workflow = await readyWorkflow(api, JSON.parse(text) as Parameters<typeof readyWorkflow>[1]);
      expect(await untilRun(api, await fireRun(api, workflow))).toMatchObject({ status: 'succeeded' });
    }
    if (language !== 'http') continue;
    const [, method = '', path = '', body] = /^(\S+) (\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
    const answer = await call(api, method, path, body === '' ? {} : { body });
    const { role: status, text: said = '' } = blocks[index + 1] ?? {};
    expect([path, answer.status, answer.body]).toEqual([path, Number(status), expected(said)]);
    told += 1;
  }
  expect(told).toBe(6);
});

test('the page states the real limits', () => {
  for (const figure of [
    `${stateLimits.keyChars} characters`,
    `${stateLimits.valueDepth} levels`,
    '100,000 entries',
    '64 MiB',
    `${stateLimits.namespaces} namespaces`,
  ]) {
    expect(page).toContain(figure);
  }
  expect([stateLimits.entries, stateLimits.bytes, stateLimits.valueBytes]).toEqual([
    100_000,
    64 * 2 ** 20,
    256 * 2 ** 10,
  ]);
});
