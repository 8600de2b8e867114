import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { findExcerpt } from '#console/docs/excerpt.ts';
import { buildIndex, type Hit, openIndex } from '#console/docs/search-index.ts';
import type { Page } from '#console/docs/tree.ts';
import { readDocs } from '#src/console/docs/read-docs.ts';

let pages: Page[];
let search: (query: string) => Hit[];

beforeAll(async () => {
  ({ pages } = await readDocs(fileURLToPath(new URL('../../../', import.meta.url))));
  search = openIndex(buildIndex(pages));
});

const page = (name: string) => pages.find((page) => page.name === name) as Page;

test('a sentence is found on its page, with its words marked', () => {
  const [first] = search('outage of an ERP leaves two thousand failed runs');
  expect(first?.page).toBe('operations-at-scale');
  const { anchor, parts } = findExcerpt(page('operations-at-scale'), first?.terms ?? []);
  expect(anchor).toBe('');
  expect(parts.join('')).toContain('outage of an ERP leaves two thousand failed runs');
  expect(parts.filter((_, index) => index % 2 === 1)).toEqual(expect.arrayContaining(['outage', 'ERP', 'thousand']));
});

test('a hit leads to the section that has the words', () => {
  const [hit] = search('failover loss');
  expect(hit?.page).toBe('outages');
  expect(findExcerpt(page('outages'), hit?.terms ?? [])).toMatchObject({
    anchor: 'failover-without-loss',
    heading: 'Failover without loss',
  });
});

test.each([
  ['an unfinished word', 'retryRu', 'operations-at-scale'],
  ['a word with a wrong letter', 'standart webhooks', 'receiving-webhooks'],
  ['a setting', 'CREDENTIALS_KEY', 'configuration'],
])('%s finds its page', (_, query, name) => {
  expect(
    search(query)
      .slice(0, 5)
      .map((hit) => hit.page),
  ).toContain(name);
});

test('words that no page has together find the pages with one of them', () => {
  expect(search('zzzqqq stock').length).toBeGreaterThan(0);
  expect(search('zzzqqq')).toEqual([]);
});
