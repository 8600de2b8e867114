import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';

const page = await readFile(new URL('../../../docs/saved-views.md', import.meta.url), 'utf8');
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '';

test('the page shows what its document is answered', async ({ api }) => {
  const variables = JSON.parse(block('json variables')) as object;
  expect(await api.graphql(block('graphql'), variables)).toEqual(JSON.parse(block('json answer')));
});
