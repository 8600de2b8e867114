import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { packNodePackage } from '@causeway/node-kit/pack';
import { expect } from 'vitest';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { diffLimits } from '#src/automation/workflows/revision-summary.rules.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';

const page = await readFile(new URL('../../../docs/templates-and-revisions.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language, role, text = '']) => ({
  language,
  role,
  text,
}));

test.beforeAll(async ({ api }) => {
  await registerBuiltinPackages(api.deps);
  const archive = await packNodePackage(fileURLToPath(new URL('../../../examples/erp-nodes/', import.meta.url)));
  await registerNodePackage(api.deps, { orgId: 'acme', archive });
});

/** `...` in the page stands for any text. */
const expected = (text: string): object =>
  JSON.parse(text, (_key, value: unknown) => (value === '...' ? expect.any(String) : value)) as object;

test('the requests of the page get the shown responses', async ({ api }) => {
  let told = 0;
  for (const [index, { language, text }] of blocks.entries()) {
    if (language !== 'http') continue;
    const [, method = '', path = '', body] = /^(\S+) (\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
    const answer = await call(api, method, path, body === '' ? {} : { body });
    const { role: status, text: said = '' } = blocks[index + 1] ?? {};
    expect([path, answer.status]).toEqual([path, Number(status)]);
    expect(answer.body).toMatchObject(expected(said));
    told += 1;
  }
  expect(told).toBe(6);
});

test('the page states the real limits', () => {
  expect([diffLimits.entries, diffLimits.value]).toEqual([500, 1_000]);
  expect(page).toContain('500 entries');
  expect(page).toContain('1,000 characters');
});
