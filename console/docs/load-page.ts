import { loadIndex, pages } from 'causeway:docs';
import type { Hit } from './search-index.ts';
import type { Page } from './tree.ts';

/** Keeps what was loaded, as `use` needs one promise for one thing. A load that failed is forgotten, so that the next visit tries again. */
function keep<V>(load: (key: string) => Promise<V>): (key: string) => Promise<V> {
  const kept = new Map<string, Promise<V>>();
  return (key) => {
    const known = kept.get(key);
    if (known) return known;
    const loading = load(key);
    kept.set(key, loading);
    loading.catch(() => kept.delete(key));
    return loading;
  };
}

/** A page by its name; undefined where there is none. */
export const loadPage = keep(async (name: string): Promise<Page | undefined> => (await pages[name]?.())?.page);

/** The index and the code that reads it, which are loaded with the first search. */
const loadSearch = keep(async () => {
  const [{ openIndex }, { index }] = await Promise.all([import('./search-index.ts'), loadIndex()]);
  return openIndex(index);
});

/** A page that has the words, with its text to quote from. */
export interface Result extends Hit {
  content: Page;
}

const maxShown = 12;

/** How many pages have the words, and the best of them. They come with their text: a link that is replaced once its text has come would lose the focus. */
export const findPages = keep(async (query: string): Promise<{ found: number; best: Result[] }> => {
  const hits = (await loadSearch('search'))(query);
  const best = await Promise.all(
    hits.slice(0, maxShown).map(async (hit) => {
      const content = await loadPage(hit.page);
      return content ? [{ ...hit, content }] : [];
    }),
  );
  return { found: hits.length, best: best.flat() };
});
