import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { verifiers } from '#src/infra/signing/verifier-configs.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';

const page = await readFile(new URL('../../../docs/inbound-endpoints.md', import.meta.url), 'utf8');

test('the examples of the page on inbound endpoints make endpoints', async ({ api }) => {
  const examples = [...page.matchAll(/^```http\n(\S+) \/v1(\S+)\n([\s\S]*?)^```$/gm)];
  expect(examples.length).toBeGreaterThan(1);
  for (const [, method = '', path = '', body = ''] of examples) {
    expect(await callPlatform(api, method, path, { body })).toMatchObject({ status: 201, body: { status: 'enabled' } });
  }
});

test('the page has every verifier', () => {
  expect([...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(['verifier', ...verifiers]);
});
