import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { attentionKinds } from '#src/operations/attention/attention.rules.ts';
import { test } from '#test/setup/app-test.ts';
import { makeNeedy } from './needy-rows.ts';

const page = await readFile(new URL('../../../docs/attention.md', import.meta.url), 'utf8');

test('the document of the page is answered, and the page explains every kind', async ({ api }) => {
  await makeNeedy(api, 'acme-shop');
  const [, document = ''] = /^```graphql\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const { data, errors } = await api.graphql<{ attention: { node: object | null }[] }>(document);
  expect(errors).toBeUndefined();
  expect(data.attention.length).toBeGreaterThan(5);
  for (const { node } of data.attention) expect(node).not.toBeNull();
  for (const kind of attentionKinds) expect(page).toContain(`\`${kind.toUpperCase()}\``);
});
