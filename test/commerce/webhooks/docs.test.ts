import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';

const page = await readFile(new URL('../../../docs/webhooks-out.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language, role, text = '']) => ({
  language,
  role,
  text,
}));

/** The response that the page shows; secrets may differ. */
const said = (text: string) =>
  JSON.parse(text, (_name, value: unknown) =>
    value === 'whsec_...' ? expect.stringMatching(/^whsec_[\w+/]{43}=$/) : value,
  ) as object;

test('the examples of docs/webhooks-out.md get the shown responses, in order', async ({ api }) => {
  const requests = blocks.filter(({ language }) => language === 'http');
  expect(requests.length).toBeGreaterThan(4);
  for (const [index, { language, text }] of blocks.entries()) {
    if (language !== 'http') continue;
    const [, method = '', path = '', body = ''] = /^(\S+) \/v1(\S+)\s*([^]*)$/.exec(text) ?? [];
    const { status, body: found } = await callPlatform(api, method, path, { ...(body !== '' && { body }) });
    const answer = blocks[index + 1];
    if (answer?.language !== 'json') {
      expect([path, status]).toEqual([path, 200]);
      continue;
    }
    expect([path, status]).toEqual([path, Number(answer.role)]);
    expect(found).toMatchObject(said(answer.text));
  }
});
