import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { commerceNodeManifests } from '#src/commerce/nodes/manifests.ts';
import { commerceTemplates } from '#src/commerce/nodes/templates.ts';

const page = await readFile(new URL('../../../docs/commerce-nodes.md', import.meta.url), 'utf8');

test('the page has every node with its config, and every template', () => {
  const rows = new Map([...page.matchAll(/^\| `(commerce:[\w-]+)` \|(.*)$/gm)].map(([, slug, rest]) => [slug, rest]));
  expect([...rows.keys()]).toEqual(
    [...commerceNodeManifests, ...commerceTemplates].map(({ slug }) => slug).toSorted(inPage),
  );
  for (const { slug, config = [] } of commerceNodeManifests) {
    for (const { key, required } of config)
      expect(rows.get(slug)).toContain(required ? `**\`${key}\`**` : `\`${key}\``);
  }
});
const inPage = (a: string, b: string) => page.indexOf(`\`${a}\``) - page.indexOf(`\`${b}\``);
