import MiniSearch, { type Options } from 'minisearch';
import { splitSections } from './sections.ts';
import type { Page } from './tree.ts';

interface PageText {
  id: string;
  title: string;
  headings: string;
  text: string;
}

/** Words in so many sentences that they tell no page from another. Without them the index is a tenth smaller. */
const stopWords = new Set(
  'a an and are as at be but by can for from has have if in is it its no not of on one or so than that the then this to was when which with'.split(
    ' ',
  ),
);

const splitWords = MiniSearch.getDefault('tokenize');

/** The same where the index is built and where it is loaded. */
const options: Options<PageText> = {
  fields: ['title', 'headings', 'text'],
  // Index a compound name, for example of a setting, as one word besides its parts: the parts are on many more pages.
  tokenize: (text) => [...splitWords(text), ...(text.match(/\w+_\w+/g) ?? [])],
  processTerm: (term) => {
    const lower = term.toLowerCase();
    return stopWords.has(lower) ? null : lower;
  },
};

/**
 * The index of pages as JSON. It holds whole pages: of sections it would be twice as large, and the page of a hit, loaded anyway to show
 * where it is, says which section it was.
 */
export function buildIndex(pages: readonly Page[]): string {
  const index = new MiniSearch(options);
  for (const page of pages) {
    const sections = splitSections(page);
    index.add({
      id: page.name,
      title: page.title,
      headings: sections.map(({ heading }) => heading).join('\n'),
      text: sections.map(({ text }) => text).join('\n'),
    });
  }
  return JSON.stringify(index);
}

export interface Hit {
  page: string;
  /** The words of the page that were found, in lower case. */
  terms: string[];
}

/** Searches a built index: pages with all words of the query first; words may be unfinished, or have a letter wrong. */
export function openIndex(json: string): (query: string) => Hit[] {
  const index = MiniSearch.loadJSON(json, options);
  return (query) => {
    const find = (combineWith: 'AND' | 'OR') =>
      index.search(query, {
        combineWith,
        prefix: (term, position, terms) => term.length > 2 || position === terms.length - 1,
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
        boost: { title: 4, headings: 2 },
      });
    const every = find('AND');
    const found = every.length > 0 ? every : find('OR');
    return found.map(({ id, terms }) => ({ page: String(id), terms }));
  };
}
